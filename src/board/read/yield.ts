// Long reads are split into steps, and other requests run between two steps.

export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
