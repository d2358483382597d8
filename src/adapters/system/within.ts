// The answer of somebody who may be slow, or an error.

/** Rejects with the error that `late` makes if there is no answer in time. */
export async function within<Answer>(ms: number, answer: Promise<Answer>, late: () => Error): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(timer);
  }
}
