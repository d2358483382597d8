// The forms of known credentials: their names, and how they differ from hashes, ids and public keys.
import { endOfRun, nextRun } from "./token-runs.ts";

export interface SecretForm {
  readonly kind: string;
  readonly words: string;
  /**
   * A text without any of these literals has no credential of this form, so one search for the literals of all forms rules out most texts.
   */
  readonly markers: readonly string[];
  /** A match has a bounded length, or it begins only where no earlier attempt can have reached; so a search takes linear time. */
  readonly token: RegExp;
  /** If the form alone is not enough: the text that must come right before the token. It ends where no token can begin. */
  readonly label?: RegExp;
}

/** No label is longer. */
export const LABEL_CHARS = 48;

const form = (kind: string, words: string, markers: readonly string[], token: RegExp, label?: RegExp): SecretForm => ({
  kind,
  words,
  markers,
  // After a label, the token begins right there; there are far fewer labels than places where a token could begin.
  token: new RegExp(token, label === undefined ? "g" : "y"),
  ...(label === undefined ? {} : { label: new RegExp(label, `g${label.flags}`) }),
});

/** 32 bytes as base64url, standing alone: a seed, a public key or a hash. */
const SEED = /(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048](?![A-Za-z0-9_-])/;
const SEED_CHARS = 43;

/** The seeds in a text, with their places. A run may be as long as the text, so it is split and not tried at each of its characters. */
export function* seedsIn(text: string): Generator<{ readonly seed: string; readonly at: number }> {
  for (let start = nextRun(text, SEED_CHARS); start >= 0;) {
    const end = endOfRun(text, start);
    let at = start;
    for (const seed of text.slice(start, end).split(/[+/]/)) {
      if (seed.length === SEED_CHARS && SEED.test(seed)) yield { seed, at };
      at += seed.length + 1;
    }
    start = nextRun(text, SEED_CHARS, end);
  }
}

// If a token has no rare prefix, its exact length is part of the form. Otherwise a public key (43 characters) or a signature (86) that
// happens to begin like a token would be refused.
export const SECRET_FORMS: readonly SecretForm[] = [
  form(
    "private_key",
    "a private key in PEM, OpenSSH or PGP form",
    ["PRIVATE KEY"],
    // After the first line come lines of base64, perhaps with header lines before them; the first line alone is no secret. Inside other
    // texts a line end may be written as \n.
    /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----["'+,]{0,3}(?:\s|\\[nr]|["'+,>|]){1,24}(?:[A-Za-z-]{1,30}: [^\n\\]{0,120}(?:\n|\\n)[\s>|]{0,12}){0,5}[A-Za-z0-9+/=]{4,}(?=\r?\n|\\[nr]|["'`.…]|$)/,
  ),
  // A field `d` may also be a hash. It is a private key only if the text also has `kty`, the type of a key.
  form("private_key", "a private key as a JSON Web Key", ['"kty"'], /"d"\s{0,3}:\s{0,3}"[A-Za-z0-9_-]{43,}"/),
  form("private_key", "a PuTTY private key", ["PuTTY-User-Key-File-"], /PuTTY-User-Key-File-[0-9]: /),
  form("private_key", "an age secret key", ["AGE-SECRET-KEY-1"], /AGE-SECRET-KEY-1[0-9A-Z]{58}/),
  form("private_key", "a Nostr secret key", ["nsec1"], /(?<![A-Za-z0-9])nsec1[02-9ac-hj-np-z]{58}(?![A-Za-z0-9])/),
  form(
    "board_secret_key",
    "a secret key of this board, named as such",
    ["key", "Key", "KEY", "seed", "Seed", "SEED"],
    SEED,
    /(?:secret|private|signing|agent|board)[_ -]?(?:key|seed)["'`]{0,2}\s{0,3}[:=]\s{0,3}["'`]?/i,
  ),
  form(
    "aws_key",
    "an AWS access key",
    ["AKIA", "ASIA", "ABIA", "ACCA"],
    /(?<![A-Za-z0-9_-])A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9_-])/,
  ),
  form(
    "aws_key",
    "an AWS secret access key",
    ["ccess", "CCESS"],
    /(?<![A-Za-z0-9/+_-])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_-])/,
    /secret_?access_?key["'`]{0,2}\s{0,3}[:=]\s{0,3}["'`]?/i,
  ),
  form("google_key", "a Google API key", ["AIza"], /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/),
  form("google_key", "a Google OAuth client secret", ["GOCSPX-"], /(?<![A-Za-z0-9])GOCSPX-[A-Za-z0-9_-]{28}/),
  form("google_key", "a Google access token", ["ya29."], /(?<![A-Za-z0-9_-])ya29\.[A-Za-z0-9_-]{20,}/),
  form("azure_key", "an Azure storage key", ["AccountKey="], /AccountKey=[A-Za-z0-9+/]{86}==/),
  form("digitalocean_token", "a DigitalOcean token", ["_v1_"], /(?<![A-Za-z0-9])do[opr]_v1_[0-9a-f]{64}/),
  form("github_token", "a GitHub token", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{36}/),
  form("github_token", "a GitHub fine-grained token", ["github_pat_"], /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{36,}/),
  form(
    "gitlab_token",
    "a GitLab token",
    ["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "gloas-", "glsoat-", "glagent-"],
    /(?<![A-Za-z0-9])gl(?:pat|dt|rt|cbt|ptt|ft|oas|soat|agent)-[A-Za-z0-9_-]{20,}/,
  ),
  form("npm_token", "an npm token", ["npm_"], /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9_-])/),
  form("pypi_token", "a PyPI token", ["pypi-AgE"], /(?<![A-Za-z0-9])pypi-AgE[A-Za-z0-9_-]{40,}/),
  form("rubygems_token", "a RubyGems token", ["rubygems_"], /(?<![A-Za-z0-9])rubygems_[0-9a-f]{48}/),
  form("docker_token", "a Docker token", ["dckr_"], /(?<![A-Za-z0-9])dckr_[op]at_[A-Za-z0-9_-]{27,}/),
  form(
    "slack_token",
    "a Slack token",
    ["xox", "xapp-"],
    /(?<![A-Za-z0-9])(?:xox[abceoprs]-[A-Za-z0-9-]{15,}|xapp-[0-9]-[A-Za-z0-9-]{15,})/,
  ),
  form("slack_token", "a Slack webhook", ["hooks.slack.com/"], /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/]{30,}/),
  form("discord_token", "a Discord webhook", ["/api/webhooks/"], /discord(?:app)?\.com\/api\/webhooks\/[0-9]{15,20}\/[A-Za-z0-9_-]{60}/),
  form("telegram_token", "a Telegram bot token", [":AA"], /(?<![A-Za-z0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/),
  form(
    "stripe_key",
    "a Stripe key",
    ["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
    /(?<![A-Za-z0-9])[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/,
  ),
  form("stripe_key", "a Stripe webhook secret", ["whsec_"], /(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/]{32,}/),
  form("sendgrid_key", "a SendGrid key", ["SG."], /(?<![A-Za-z0-9_.-])SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/),
  form("vault_token", "a Vault token", ["hvs.", "hvb."], /(?<![A-Za-z0-9_-])hv[sb]\.[A-Za-z0-9_-]{24,}/),
  form("databricks_token", "a Databricks token", ["dapi"], /(?<![A-Za-z0-9])dapi[0-9a-f]{32}(?![A-Za-z0-9_])/),
  form("anthropic_key", "an Anthropic key", ["sk-ant-"], /(?<![A-Za-z0-9_-])sk-ant-[A-Za-z0-9_-]{24,}/),
  form(
    "openai_key",
    "an OpenAI key",
    ["sk-proj-", "sk-svcacct-", "sk-admin-"],
    /(?<![A-Za-z0-9_-])sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{24,}/,
  ),
  form(
    "model_key",
    "a key of a model provider",
    ["sk-"],
    /(?<![A-Za-z0-9_-])sk-(?:or-v1-)?(?:[A-Za-z0-9]{32,39}|[A-Za-z0-9]{41,82}|[A-Za-z0-9]{84,})(?![A-Za-z0-9_-])/,
  ),
  form(
    "model_key",
    "a key of a model provider",
    ["hf_", "gsk_", "xai-", "pplx-", "r8_"],
    /(?<![A-Za-z0-9_-])(?:hf_[A-Za-z0-9]{34}|gsk_[A-Za-z0-9]{52}|xai-[A-Za-z0-9]{80}|pplx-[A-Za-z0-9]{48}|r8_[A-Za-z0-9]{37})(?![A-Za-z0-9_-])/,
  ),
  form(
    "bearer_token",
    "a JSON Web Token given as a bearer credential",
    ["eyJ"],
    /(?<![A-Za-z0-9_.-])eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}/,
    /(?:\bbearer|(?:access|refresh|id|auth|session)_?token["'`]{0,2}\s{0,3}[:=])\s{0,3}["'`]?/i,
  ),
];
