// Long reads go in steps, and between two steps everybody else has a turn.

export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
