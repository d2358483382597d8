// The parts of the mail library that it has no types for.
declare module "mailauth/lib/tools.js" {
  /** The first of the domains that belongs to the same organisation, by the list of public suffixes. */
  export function getAlignment(fromDomain: string, domains: readonly string[]): { readonly domain: string } | false;
  /** Lower case, in ASCII, without a dot at its end. */
  export function formatDomain(domain: string): string;
}
