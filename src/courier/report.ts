// Where a courier says what it does: a line for each thing that somebody may want to know.

export interface CourierReport {
  tell(words: string): void;
}

export const reportTo = (write: (line: string) => void, name: string): CourierReport => ({ tell: (words) => write(`${name}: ${words}\n`) });
