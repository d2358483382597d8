// The log of a courier: one line for each event.

export interface CourierReport {
  tell(words: string): void;
}

export const reportTo = (write: (line: string) => void, name: string): CourierReport => ({ tell: (words) => write(`${name}: ${words}\n`) });
