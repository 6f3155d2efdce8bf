/**
 * What somebody does by saying it, in the languages it was met in: alternatives of a pattern, without marks around them.
 * One constant for each act, so that a hook brings those alone that it asks for. `wordsFor`: those of all languages.
 */
export const wordsFor = (act: Record<string, string>): string => Object.values(act).join("|");

/** Asks for it. */
export const PLEASE = { en: "please", de: "bitte", es: "por favor", fr: "s'il te plaît,?", ru: "пожалуйста,?" };

/** Takes back a rule. */
export const IGNORE = {
	en: "ignore|disregard",
	de: "ignorier(?:e|t|en sie)?",
	fr: "ignorez?",
	es: "ignora(?:d|te)?",
	ru: "игнорируй(?:те)?",
};
/** The same, and nothing else that could be ignored. */
export const FORGET = {
	de: "vergiss|vergesst|vergessen sie",
	fr: "oubliez?",
	es: "olvid(?:a|e|ad)",
	pt: "esque[cç][ae]",
	ru: "забудь(?:те)?",
};

/** The same in scripts without spaces. */
export const IGNORE_UNSPACED = { zh: "忘掉|忘记|忘記|忘了|忽略|收回", ja: "(?:無視して|忘れて)(?!は|も|い|な)" };

/** Begins to say anew what was said right before. */
export const REVISES = {
	en: "let me (?:revise|rephrase|correct (?:that|myself))|final answer|change of plans?|on second thoughts?|correction|new plan|i(?:'ve)? changed my mind",
	de: "korrektur|planänderung|neuer plan|ich hab(?:e)? es mir anders überlegt",
	fr: "changement de plan|nouveau plan|réflexion faite|j'ai changé d'avis",
	es: "corrección|cambio de planes|nuevo plan|mejor dicho|cambié de opinión",
	pt: "correção|mudança de planos|novo plano|mudei de ideia",
	ru: "поправка|новый план|я передумала?",
};

/** Says of a plan, behind its name, that it is none any more. */
export const ENDED = {
	en: "(?:is|are) (?:now |both |all )?(?:off the table|out|dead|obsolete|withdrawn|void)|no longer (?:applies|apply|holds)",
	de: "(?:ist|sind) (?:jetzt )?(?:vom tisch|hinfällig)|gilt nicht mehr",
	fr: "(?:est|sont) (?:abandonnée?s?|hors de question)|ne tient plus",
	es: "(?:está|queda|están|quedan) descartad[oa]s?|ya no vale",
	pt: "(?:está|estão) descartad[oa]s?|já não vale",
	ru: "больше не (?:действует|нужен|нужна|нужно)|отменяется",
};

/** Before the name of what something else takes the place of. */
export const INSTEAD_OF = {
	en: "instead of|rather than|in place of",
	de: "statt|anstatt|anstelle (?:von|der|des)",
	fr: "au lieu d[eu']|à la place d[eu']",
	es: "en (?:vez|lugar) del?",
	pt: "em vez d[eao]|ao invés d[eao]",
	it: "invece d(?:i|el|ella)",
	nl: "in plaats van",
	pl: "zamiast",
	ru: "вместо",
};

/** Means all of what was said. */
export const EVERYTHING = {
	en: "everything|anything|all",
	de: "alles",
	fr: "tout",
	es: "todo",
	pt: "tudo",
	ru: "вс[её]",
};

/** Keeps what was taken back. */
export const KEEP = {
	en: "keep|leave|restore|retain|stick (?:to|with)",
	de: "behalt(?:e|et|en)?|lass(?:t)?",
	fr: "gard(?:e|ez|ons)",
	es: "mantén|mantenga|deja|conserva",
	pt: "mant[eé]m|mantenha|deixa",
	ru: "оставь(?:те)?",
};

/** Says no to what was proposed. */
export const REFUSES = {
	en: "nope|nah|no(?= *[,.;:!–—-]| *$| (?:we|i|that|it|this|do|don't|not|use|keep|leave|let's)\\b)|rather not",
	de: "nein|nee|nö|lieber nicht",
	fr: "non|plutôt pas",
	es: "no(?= *[,.;:!–—-]| *$)",
	pt: "não",
	ru: "нет|не надо|не нужно",
};
export const REFUSES_UNSPACED = { zh: "不[,，。!！要用行]|别|別", ja: "いいえ|いや[、。]|やめて" };

/** Proposes something. */
export const PROPOSES = {
	en: "(?:i|we)(?:'d| would| could| can| should|'ll| will)|i (?:propose|suggest|recommend)|let's|let me|(?:my|the) (?:proposal|suggestion|recommendation)|(?:an|one|another) option",
	de: "ich (?:schlage|würde|empfehle)|wir (?:könnten|sollten)|mein vorschlag",
	fr: "je (?:propose|suggère|recommande)|on (?:pourrait|devrait)|nous (?:pourrions|devrions)",
	es: "propongo|sugiero|recomiendo|(?:podríamos|deberíamos)",
	pt: "proponho|sugiro|recomendo|(?:poderíamos|deveríamos)",
	ru: "предлагаю|рекомендую|можно было бы|стоит",
};

/** Points at what was said right before. */
export const THAT = { en: "that|it|this", de: "das|es", fr: "ça|cela", es: "eso|esto", pt: "isso|isto", ru: "это" };

/** Speaks of what was said, or of a rule. */
export const SAID_OR_RULE = {
	de: "gesagt|\\p{L}*-?regel",
	fr: "j'ai dit|règle",
	es: "dije|regla",
	pt: "disse|regra",
	ru: "говорил\\p{L}?|сказал\\p{L}?|правило",
};
export const SAID_OR_RULE_UNSPACED = { zh: "[说說]|规则|規則", ja: "言った|ルール" };

/** Says that what was asked is done. */
export const DONE = { en: "done|did|finished", de: "erledigt|fertig", fr: "fait", es: "hecho|listo" };
export const DONE_UNSPACED = { zh: "完成|好了" };

/** Says that what follows is a program's output. */
export const OUTPUT = {
	en: "error(?: message)?|output|log|(?:stack ?)?trace|console|terminal",
	de: "fehler(?:meldung)?|ausgabe",
	fr: "erreur|sortie",
	es: "salida",
	pt: "erro|saída",
	it: "errore",
	nl: "fout(?:melding)?",
	pl: "błąd",
	ru: "ошибка|вывод",
	zh: "错误|錯誤|報錯|报错|输出|日志",
	ja: "エラー|出力|ログ",
	ko: "오류|에러|출력|로그",
};

/** Lets somebody go on. */
export const NOD = {
	en:
		"good|great|fine|thanks|thank|nice|perfect|continue|proceed|ahead|looks|sounds|sure|okay|cool|awesome|excellent|correct|right|exactly|done|yes|yep|" +
		"works|wait|stop|start|going|keep|step|steps|now|try|ready|agreed|approved|lgtm|job|work",
};

/** Says of a rule only that there was one; each by itself. */
export const ABOUT = {
	en:
		"everything|anything|all|both|said|say|saying|told|always|everywhere|whenever|each|every|earlier|before|about|rule|rules|instruction|instructions|request|" +
		"message|messages|last|previous|first|thing|things|part|stuff|point|asked|wanted|that|this|it|stop|allow|allowed|okay|fine|free|feel|again|anymore|now|" +
		"ahead|longer|need|needed|take|back|forget|changed|mind|entirely|completely|i've|we've|was|far|earlier|plan|idea|approach|option|" +
		"actually|wait|scratch|ignore|disregard|let's|final|answer|revise|thought|new|correction|goal",
	de: "alles|ich|vorhin|über|ueber|gesagt|habe|hab|hatte|regel|die|der|das|den|dem|mit|von|zu|zum|zur|wegen",
	fr: "que|j'ai|ai|dit|sur|règle|propos|les|des",
	es: "del|las|los|dije|lo|sobre|regla|la|el",
	it: "disse|sulla",
	pt: "eu|disse|do|da|no|na|regra",
	ru: "то|что|про|сказал|говорил|правило|насчёт|об",
};

/** The alternatives of a text, a line or more, as one pattern. */
export const anyOf = (lines: string, flags = "", before = ""): RegExp =>
	new RegExp(`${before}(?:${lines.trim().split(/\n\t*/).join("|")})`, flags);
