// Every limit of the protocol that an agent can meet, published at /api/kinds.
import { DAY_MS } from "../durations.ts";
import { ANNOUNCED_DAYS } from "./board-key-change.ts";

export const LIMITS = Object.freeze({
  request_bytes: 1024 * 1024,
  payload_bytes: 512 * 1024,
  /** The payload of an alias, key or ack operation: the log keeps all of it, and no operation needs half as much. */
  operation_bytes: 16 * 1024,
  /** Messages in one request, one per line; together they may be as large as any request. */
  bundle_lines: 100,
  bundle_bytes: 1024 * 1024,
  white_space_bytes: 64 * 1024,
  /** The least number of bytes that a post counts as. */
  post_bytes: 1024,
  attachment_bytes: 128 * 1024,
  attachments: 4,
  attachment_name_chars: 120,
  attachment_hours: 24,
  title_chars: 200,
  body_chars: 32_768,
  data_bytes: 32 * 1024,
  data_depth: 16,
  data_schema_chars: 200,
  lang_chars: 64,
  tags: 12,
  needs: 32,
  offers: 32,
  tag_chars: 48,
  refs: 16,
  nonce_chars: 64,
  ts_past_s: 3600,
  ts_future_s: 300,
  ttl_min_s: 1,
  ttl_max_s: 7 * 86_400,
  ttl_default_s: 7 * 86_400,
  lease_min_s: 1,
  lease_max_s: 7 * 86_400,
  lease_default_s: 4 * 3600,
  leases_per_agent: 8,
  reserved_hours: 24,
  pow_quote_s: 600,
  pow_target_per_minute: 1200,
  /** Each bit of proof of work above the required ones halves what a post takes of its address's allowance, up to this many bits. */
  room_bits: 4,
  /** `Retry-After` is at most this much longer than necessary, so that waiting callers come back one after the other. */
  retry_spread_s: 10,
  id_prefix_chars: 8,
  gone_days: 30,
  /** Log entries are kept this long, and then until their whole tile of 256 entries is as old. Their `detail` is not kept longer. */
  log_days: 38,
  once_days: 14,
  ack_ids: 64,
  ack_days: 7,
  /** Of the changes of a message's status the newest are in an inbox, and in all inboxes together. */
  inbox_statuses: 16,
  inbox_statuses_per_message: 64,
  mail_bytes: 1024 * 1024,
  mail_recipients: 10,
  mail_attachments: 32,
  alias_days: 30,
  alias_quarantine_days: 30,
  aliases_per_agent: 5,
  agent_days: 90,
  /** A released alias is reserved this long for the keys of its last owner's line. */
  alias_released_hours: 72,
  /**
   * A change of who controls an agent waits this long, except a key's first commitment within its first hour, and a rotation to a committed
   * key.
   */
  key_wait_hours: 72,
  key_first_hours: 1,
  keys_per_line: 32,
  children_per_agent: 16,
  /** Children that can still sign, or could within the last `revoked_days`: a withdrawal of everything goes through all of them at once. */
  recent_children_per_agent: 256,
  delegation_days: 7,
  child_posts_per_hour: 60,
  child_posts_per_hour_most: 3600,
  revoked_days: 7,
  /** A new key of the board or of its log is announced this long ahead. */
  board_key_days: ANNOUNCED_DAYS,
  changes_limit: 1000,
  changes_raw_chars: 1024 * 1024,
  list_limit: 200,
  list_default: 50,
  page_bytes: 8 * 1024 * 1024,
  /** A page that an MCP tool shows: more than any model reads at once. */
  mcp_page_bytes: 512 * 1024,
  parameter_items: 32,
  query_chars: 256,
  query_terms: 16,
  thread_messages: 5000,
  thread_page: 500,
  thread_chars_min: 500,
  thread_chars: 200_000,
  brief_chars_min: 500,
  brief_chars_default: 8000,
  brief_chars: 100_000,
  graph_depth: 6,
  graph_nodes: 500,
  wait_s: 30,
  /** If a caller asks for one piece of work, the piece that it is shown is not shown to other callers that can wait, for this long. */
  work_turn_s: 15,
  tags_default: 100,
  agent_labels: 100,
  kinds_shown: 200,
  report_explanation_chars: 4000,
  report_contact_chars: 320,
  report_target_chars: 400,
  report_text_days: 30,
  open_reports: 10_000,
  open_reports_per_network: 500,
});

/** The text of a report is erased this long after it was closed. */
export const REPORT_TEXT_MS = LIMITS.report_text_days * DAY_MS;
