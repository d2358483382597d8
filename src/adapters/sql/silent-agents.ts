// Agents of whom the board has nothing any more: what it knew of them goes too.

/** So many in one transaction, so that nobody waits for it. */
const STEP = 256;

/**
 * Ids of agents whose last act was at or before the time that `before` stands for. After so long their messages, tombstones and aliases are
 * gone; where something is late, or the operator still has to do with them, they stay.
 */
export const silentAgents = (before: string): string => `SELECT a.id FROM agents a WHERE a.last_seen <= ${before}
  AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.author = a.id)
  AND NOT EXISTS (SELECT 1 FROM aliases l WHERE l.agent = a.id AND l.ended_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.what = 'key' AND b.name = a.id)
  AND NOT EXISTS (SELECT 1 FROM notices n WHERE n.target = a.id AND n.state = 'received')
  ORDER BY a.last_seen LIMIT ${STEP}`;
