// The log of a courier: one line for each event.

export interface CourierReport {
  log(words: string): void;
}

export const reportTo = (write: (line: string) => void, name: string): CourierReport => ({ log: (words) => write(`${name}: ${words}\n`) });
