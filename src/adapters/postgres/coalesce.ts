// Batches queries: those that arrive while one is in flight go to the database together. Under load, one statement answers many callers.

interface Waiting<Question, Answer> extends PromiseWithResolvers<Answer> {
  readonly question: Question;
}

const MOST_AT_ONCE = 200;

export class Coalesced<Question, Answer> {
  readonly #ask: (questions: readonly Question[]) => Promise<(question: Question) => Answer>;
  #waiting: Waiting<Question, Answer>[] = [];
  #asking = false;

  /** `ask` sends all queries at once, and returns a function that gives each its answer. */
  constructor(ask: (questions: readonly Question[]) => Promise<(question: Question) => Answer>) {
    this.#ask = ask;
  }

  /** The database is asked after this call, never before, so a caller sees everything that was there. */
  ask(question: Question): Promise<Answer> {
    const answer = Promise.withResolvers<Answer>();
    this.#waiting.push({ question, ...answer });
    if (!this.#asking) void this.#run();
    return answer.promise;
  }

  async #run(): Promise<void> {
    this.#asking = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, MOST_AT_ONCE);
      try {
        const answerTo = await this.#ask(group.map(({ question }) => question));
        for (const { question, resolve } of group) resolve(answerTo(question));
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#asking = false;
  }
}
