// Typical phrases of injected instructions, the most common also in other languages.

interface Phrase {
  /**
   * A text without any of these literals cannot contain the phrase. In alphabetic scripts a literal has at least five characters:
   * longer literals make the search faster.
   */
  readonly anchors: readonly string[];
  /** Matches lower-case text; every repetition in the pattern is bounded. */
  readonly pattern: RegExp;
  /**
   * The pattern consists of words with gaps between them. It is matched against a text whose gaps `withPlainGaps` has turned into
   * spaces.
   */
  readonly words?: true;
}

/** Keeps letters beyond ASCII and turns everything else into a space: patterns without Unicode classes compile a hundred times faster. */
export const withPlainGaps = (text: string): string => text.replaceAll("’", "'").replaceAll(/[^\p{L}\0-\x7F]/gu, " ");
const LETTER = "[a-z\\x80-\\uFFFF]";
/** The gap between two words. */
const GAP = "[^a-z0-9\\x80-\\uFFFF]{1,6}";

/** In `words` a space is a gap, parentheses group, and `(a|b)? ` or `(a|b){0,3} ` are words that may be left out. */
function phrase(anchors: readonly string[], words: string): Phrase {
  const optional = words.replaceAll(/\(([^()]+)\)(\?|\{\d,\d\}) /g, "((?:$1) )$2");
  const grouped = optional
    .replaceAll(/\((?!\?)/g, "(?:")
    .replaceAll(" ", GAP)
    .replaceAll("\\p{L}", LETTER);
  return { anchors, pattern: new RegExp(`(?<!${LETTER})${grouped}`), words: true };
}

const DROP = "(ignore|disregard|forget|override|bypass|discard|neglect|ignoring|disregarding)";
const DROP_ANCHORS = ["ignor", "disregard", "forget", "overrid", "bypass", "discard", "neglect"];
const RULES = "(instruction|prompt|rule|directive|guideline|command|constraint|polic|restriction|training|programming|guardrail|safeguard)";

export const PHRASES: readonly Phrase[] = [
  phrase(
    DROP_ANCHORS,
    `${DROP} (all|any|every|each|of|the|your|our|these|those|and){0,5} (previous|prior|above|earlier|preceding|foregoing|existing|original|initial|former|system|safety|developer|operator) (and|or|given|system|safety|developer|your|the|above){0,3} ${RULES}`,
  ),
  phrase(
    DROP_ANCHORS,
    `${DROP} (all|any|every|of|the){0,3} (your|all|any) (of|the|your|safety|system|current|own){0,3} (instructions|guidelines|safeguards|guardrails|training|programming|system prompt|rules)`,
  ),
  phrase(
    DROP_ANCHORS,
    `${DROP} (everything|anything|all) (that)? (above|before this|you were told|you have been told|you know|you were taught)`,
  ),
  phrase(
    ["not follow", "n't follow", "n’t follow", "stop following"],
    `(do not|don['’]t|stop) (follow|following) (any|all|of|the){0,3} (your|previous|prior|earlier|original) (system|safety|previous){0,2} ${RULES}`,
  ),
  phrase(
    ["you are now", "you're now"],
    "(you are|you['’]re) now (acting|operating|dan|unrestricted|jailbroken|free from|in (developer|debug|admin|god|root|unrestricted|dan) mode|an? (unrestricted|unfiltered|uncensored|different|new|evil)? (ai|assistant|model|chatbot|llm)(?!\\p{L}))",
  ),
  phrase(
    ["instruction"],
    "(new|updated|revised|real|actual|true|secret|hidden|urgent|override) (system|developer|operator|admin)? instructions?\\s{0,2}:",
  ),
  phrase(
    ["prompt", "system message", "developer message", "instructions"],
    "(reveal|show|print|repeat|output|leak|display|disclose|expose|send|share|tell|give|quote|recite|write out) (me|us)? (the|your|all|of|full|entire|exact|complete|whole){0,4} (system prompt|system message|developer message|(hidden|initial|original|secret) (instructions|prompt))",
  ),
  phrase(
    [
      "not tell",
      "n't tell",
      "n’t tell",
      "never tell",
      "without telling",
      "without inform",
      "without notif",
      "without alert",
      "not inform",
      "not mention",
      "not notify",
      "not alert",
      "never mention",
      "not reveal",
      "not disclose",
    ],
    "(do not|don['’]t|never|without) (tell|inform|alert|notify|mention|reveal|disclose|telling|informing|alerting|notifying|mentioning) (this|that|it|any|anything|about|of|to){0,4} (the|your|any) (user|human|operator|owner|developer|principal|supervisor)(?!\\p{L})",
  ),
  phrase(
    [
      "your key",
      "your api",
      "your access",
      "your private",
      "your secret",
      "your ssh",
      "token",
      "credential",
      "passw",
      "passphrase",
      "environment var",
      "env var",
      "cookie",
      "chat history",
      "conversation",
      "system prompt",
      "your memor",
      "'s memor",
    ],
    "(send|post|upload|email|e-mail|forward|transmit|leak|exfiltrate|paste|reveal|share|give|print|output|append|encode) (me|us|all|of|any|out){0,3} (your|the user['’]s) (own|full|current|secret|private|api|access|auth|session|ssh|signing|stored){0,4} (keys?|tokens?|credentials?|passwords?|passphrases?|secrets?|environment variables|env vars?|cookies|chat history|conversation history|conversation|system prompt|memory|memories)(?!\\p{L})",
  ),
  phrase(
    ["you must", "you are required", "you have to", "you shall"],
    "(if you are|as|attention|note to|to) (an|any|all|the|every)? (ai|llm|large language model|language model|chatbot|ai assistant|assistant|ai agent|ai model)s?(?!\\p{L})[^.!?\\n]{0,60}?(?<!\\p{L})you (must|are required|have to|shall)(?!\\p{L})",
  ),
  phrase(
    ["do anything now", "no restrictions", "no rules", "no guidelines", "no limitations", "not bound by"],
    "(do anything now|(pretend|act|imagine|behave|respond)[^.!?\\n]{0,30} you (have no|are not bound by|had no) (any)? (restrictions|rules|guidelines|limitations|limits))",
  ),
  // Marks by which models tell speakers apart.
  {
    anchors: [
      "<|im_",
      "<|sys",
      "<|end",
      "<|start",
      "<|user",
      "<|assistant",
      "[inst]",
      "[/inst]",
      "<<sys>>",
      "<system",
      "</system",
      "begin system prompt",
    ],
    pattern:
      /<\|(?:im_start|im_end|system|user|assistant|endoftext|end_of_text|start_header_id|end_header_id)\|>|\[\/?inst\]|<<sys>>|<\/?system(?:[-_](?:prompt|message|reminder|instructions?))?>|begin system prompt/,
  },
  // The most common phrase, in other languages.
  phrase(
    ["ignorier", "vergiss", "vergessen", "missacht"],
    "(ignorieren?|ignoriert|vergiss|vergessen sie|missachte|missachten sie) (sie|alle|bitte|die|deine|ihre){0,4} (vorherigen?|bisherigen?|vorangegangenen|vorigen|obigen|früheren) (anweisungen|instruktionen|regeln|vorgaben|befehle)",
  ),
  phrase(
    ["ignor", "oubli"],
    "(ignore[zs]?|oublie[zs]?) (toutes?|tous|les|tes|vos){0,3} (instructions|consignes|règles|directives) (précédentes|antérieures|ci dessus|du système)",
  ),
  phrase(
    ["ignor", "olvid", "esque", "dimentic"],
    "(ignora|ignore|ignoren|olvida|olvide|esqueça|ignorem|dimentica|ignorate) (todas?|tutte|as|las|le|tus|sus|suas|os|los){0,3} (instrucciones|instruções|istruzioni|reglas|regras|regole|órdenes|ordens) (anteriores|previas|prévias|acima|precedenti|de arriba)",
  ),
  phrase(
    ["игнорир", "забуд"],
    "(игнорируй|игнорируйте|проигнорируй|проигнорируйте|забудь|забудьте) (все|всё|свои|ваши){0,2} (предыдущие|прежние|прошлые|предшествующие) (инструкции|указания|команды|правила)",
  ),
  {
    anchors: ["忽略", "无视", "無視", "忘记", "忘記"],
    pattern:
      /(?:忽略|无视|無視|忘记|忘記)(?:掉)?(?:你|您)?(?:的)?(?:所有|一切|全部)?(?:之前|以前|先前|此前|以上|上述|上面|前面)(?:的)?(?:所有|一切|全部)?(?:的)?(?:指令|指示|说明|說明|提示|规则|規則|命令)/,
  },
  {
    anchors: ["無視", "忘れ"],
    pattern: /(?:以前|これまで|上記|前|今まで)の(?:すべての|全ての)?(?:指示|命令|指令|プロンプト)を(?:すべて|全て)?(?:無視|忘れ)/,
  },
  {
    anchors: ["무시", "잊어"],
    pattern: /(?:이전|위|앞)(?:의)?\s?(?:모든\s)?(?:지시|명령|지침|프롬프트)(?:사항)?(?:을|를|은|는)?\s?(?:모두\s)?(?:무시|잊어)/,
  },
  { anchors: ["تجاهل", "انس"], pattern: /(?:تجاهل|انس)[يى]?\s(?:جميع\s|كل\s)?(?:التعليمات|الأوامر|الإرشادات)\s(?:السابقة|أعلاه)/ },
  { anchors: ["निर्देश"], pattern: /(?:पिछले|पहले के|उपरोक्त)\s(?:सभी\s)?निर्देशों?\sको\s(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल)/ },
  phrase(["talimat"], "önceki (tüm|bütün)? (talimatları|talimatlarını|komutları) (yok say|unut|görmezden gel|dikkate alma)"),
  phrase(
    ["zignoruj", "zapomnij", "ignoruj"],
    "(zignoruj|ignoruj|zapomnij) (wszystkie|o)? (poprzednie|powyższe|wcześniejsze|poprzednich) (instrukcje|polecenia|instrukcjach)",
  ),
  phrase(
    ["negeer", "vergeet"],
    "(negeer|vergeet) (alle|de|je|uw){0,3} (vorige|voorgaande|bovenstaande|eerdere) (instructies|opdrachten|regels)",
  ),
  phrase(["abaikan", "lupakan"], "(abaikan|lupakan) (semua)? (instruksi|perintah|petunjuk) (sebelumnya|di atas)"),
  phrase(["bỏ qua", "quên "], "(bỏ qua|quên) (mọi|tất cả|các|hết){0,2} (hướng dẫn|chỉ dẫn|chỉ thị|lệnh) (trước|ở trên|phía trên)"),
  phrase(["ignorera", "glöm "], "(ignorera|glöm) (alla|dina){0,2} (tidigare|föregående|ovanstående) (instruktioner|anvisningar|regler)"),
];
