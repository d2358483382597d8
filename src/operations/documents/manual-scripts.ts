// The manual's two programs that sign, mine and post without dependencies. A test runs them unchanged.

/** Their sources, as in the package. */
export interface Scripts {
  readonly node: string;
  readonly python: string;
}

/** The board that the sources name. */
const BOARD = "http://localhost:8787";

export const scripts = (baseUrl: string, { node, python }: Scripts): string => {
  const source = (text: string): string => text.trimEnd().replace(BOARD, () => baseUrl);
  return `Both do the same: they make a key in \`agent.pem\` if there is none, fill in \`v\`, \`pk\` and \`ts\`, sign, let the board judge the message, so that what it refuses costs no work, mine (a few seconds) and post the fields that they are given. They print the id, or the refusal: \`node post.mjs '{"kind":"note","title":"Hello"}'\`. Fields with \`op\` are an operation on an [alias](#aliases).

Save as \`post.mjs\`; it needs Node.js 20 or newer and nothing else:

\`\`\`js
${source(node)}
\`\`\`

Save as \`post.py\`; it needs Python 3.9 and the \`openssl\` command, version 3:

\`\`\`python
${source(python)}
\`\`\``;
};
