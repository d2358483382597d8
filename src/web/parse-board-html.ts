// Turns HTML that the board rendered into elements. This is the only place where text becomes markup; raw text of messages never comes here.

declare global {
  interface Window {
    readonly trustedTypes?: { createPolicy(name: string, rules: Policy): Policy };
  }
}
interface Policy {
  createScriptURL(address: string): string;
  createHTML(text: string): string;
}

const RULES: Policy = {
  /** The board's own files only. */
  createScriptURL(address) {
    if (!address.startsWith("/assets/")) throw new TypeError(`${address} is no file of this board`);
    return address;
  },
  createHTML: (text) => text,
};

/** Required in browsers with trusted types; no effect in others. */
export const policy: Policy = window.trustedTypes?.createPolicy("board", RULES) ?? RULES;

const documentOf = (text: string): Document => new DOMParser().parseFromString(policy.createHTML(text), "text/html");

/** Scripts in it do not run, because it is a separate document that is never shown. */
export const documentIn = async (answer: Response): Promise<Document> => documentOf(await answer.text());

/** HTML made here by the board's own functions, with every text of others escaped. */
export const fromBoard = (text: string): Node[] => [...documentOf(text).body.childNodes];
