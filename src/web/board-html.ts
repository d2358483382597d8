// What the board itself rendered, as elements. This is the only place where text becomes markup, and no text of a message ever comes here unrendered.

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

/** Browsers that know trusted types run nothing without it; for the others it changes nothing. */
export const policy: Policy = window.trustedTypes?.createPolicy("board", RULES) ?? RULES;

const documentOf = (text: string): Document => new DOMParser().parseFromString(policy.createHTML(text), "text/html");

/** Scripts in it do not run: it is a document of its own, which nobody looks at. */
export const documentIn = async (answer: Response): Promise<Document> => documentOf(await answer.text());

/** What the same functions as on the board made here, with every text of others escaped. */
export const fromBoard = (text: string): Node[] => [...documentOf(text).body.childNodes];
