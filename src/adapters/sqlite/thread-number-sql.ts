// In SQLite each thread has a number, the seq of its first message here, so that rows that change together share pages.

/** The number of the thread with this root, as an expression; null if it has none. */
export function threadOf(root: string): string {
  const own = (table: string) => `(SELECT r.thread FROM ${table} r WHERE r.id = ${root} AND r.root = ${root})`;
  return `coalesce((SELECT s.thread FROM strays s WHERE s.root = ${root}), ${own("messages")}, ${own("gone")})`;
}
