import { ownText, withoutQuotations } from "./own-text.ts";
import { sentencesOf } from "./sentences.ts";
import { retracts } from "./withdrawals.ts";

/**
 * The sentences of a message in which the user demands, forbids allows, prefers or takes back something, verbatim,
 * in order. What no rule knows is still a message, and comes back as one. What was pasted or quoted is passed over.
 */
export function directivesOf(text: string): string[] {
	return prose(text).filter((sentence) => sentence.length < MAX && isRule(sentence));
}

/** Sentences that may direct: wider, for what must not be cut out of a long message. */
export function mayDirect(sentence: string): boolean {
	return DIRECTS.test(sentence) || isRuleAbroad(sentence) || deniesAbroad(sentence);
}

/**
 * How firmly a directive stands for the work to come: 2 what holds always or everywhere, 1 what may be meant for longer, 0 a request
 * of the moment.
 */
export function standingStrength(directive: string): 0 | 1 | 2 {
	if (retracts(directive)) return 1;
	if (OF_THE_MOMENT.test(directive)) return 0;
	if (ALWAYS.test(directive) || isRuleAbroad(directive)) return 2;
	return STANDING.test(directive) ? 1 : 0;
}

const OF_THE_MOMENT =
	/\b(?:for now|right now|(?:for|at) the moment|(?:just )?this (?:time|once)|today|tonight|(?:don['’]?t|do not) [^.!?]{1,60} yet)\b/i;

const ALWAYS =
	/\b(?:never|always|must(?: ?n[o'’]?t)?|forbidden|prohibited|off[- ]limits|hands off|read[- ]only|not allowed|from now on|going forward|in (?:the )?future|by default|as a rule|whenever|whatever|everywhere|every (?:time|\w+ (?:has|must|needs|gets))|each time|(?:after|before|for|on|in) (?:each|every|any)|until i (?:say|ask|tell)|without (?:my|asking|me))\b/i;

const STANDING =
	/\b(?:do not|don['’]?t|dont|cannot|can['’]t|only|at (?:most|least)|prefer\w*|avoid|refrain|unless|we (?:use|prefer|require|support)|i (?:want|expect|prefer|like|hate|insist)|i['’]d rather|instead of|rather than|you (?:can|may)|stop \w+ing|no \w+|stick (?:to|with)|keep|leave|stays?|every|all|not|ask (?:me|first|before|instead)|(?:go(?:es)?|belongs?) (?:in|to|into|under|on)|first,? (?:and )?(?:only )?then|(?:answer|reply|respond|speak|write) (?:\w+ )?in)\b/i;

const MAX = 700;

function prose(text: string): string[] {
	return sentencesOf(ownText(text)).filter((sentence) => sentence.length > 3);
}

function isRule(sentence: string): boolean {
	const line = withoutQuotations(sentence).replace(/[’‘]/g, "'");
	if (retracts(line) && !/[?？]/.test(line)) return true;
	if (REMARK.test(line)) return STRONG.test(line.replace(REMARK_ALL, " "));
	if (isQuestion(line) && !POLITE.test(line)) return false;
	return STRONG.test(line) || SHORT_RULE.test(line) || isRuleAbroad(line);
}

const isQuestion = (line: string): boolean => /[?？؟]["'”’)\]*]*$/.test(line);
const POLITE = /\b(?:please|bitte|por favor|s'il (?:te|vous)|пожалуйста)\b/iu;

/** Remarks of the moment whose words look like a rule's. */
const REMARKS =
	"keep (?:going|on|it up|at it|working|trying|up)\\b|don't (?:worry|know|think|see|understand|mind|remember|believe|get it|bother)\\b|do not (?:know|think|see|understand|mind|remember|believe)\\b|" +
	"(?:great|good|nice) (?:job|work)|well done|go ahead|never ?mind|(?:you|we|i) (?:need|have) to (?:move|go|step|change into|look|check|wait|restart|re-?run|try)\\b|" +
	"\\bthe only (?:thing|one|way|reason|problem|issue)\\b|\\bonly (?:then|now|thing)\\b|not only\\b|i don't want to (?:be|sound)|it (?:should|must) (?:be|have) (?:fine|ok|okay|enough)|should (?:be|work) (?:fine|ok|okay|now)\\b|(?:that|this|it) should work\\b";
const REMARK = new RegExp(REMARKS, "i");
const REMARK_ALL = new RegExp(REMARKS, "gi");

/** English words of rules. */
const STRONG = new RegExp(
	[
		"\\b(?:never|always|must(?: ?n[o']?t)?|cannot|can't be|shall)\\b",
		"\\b(?:don't|do not|dont|does ?n['o]t need|should(?: ?n[o']?t)?|ought to)\\b",
		"\\b(?:instead|rather than|in place of|in favou?r of)\\b",
		"\\b(?:only|exclusively|at (?:most|least)|no (?:more|fewer|less|longer) than|up to \\d)\\b",
		"\\b(?:make sure|be sure|ensure|prefer(?:ably|red)?|avoid|refrain|remember to|remember that|don't forget)\\b",
		"\\b(?:no need|not allowed|forbidden|prohibited|banned|required|mandatory|off[- ]limits|hands off|out of bounds|read[- ]only|frozen|do not touch)\\b",
		"\\b(?:from now on|going forward|in (?:the )?future|by default|as a rule|unless|whenever|every time|each time|(?:after|before|for|on|in) (?:each|every|any)|until i (?:say|ask|tell))\\b",
		"\\bplease (?:use|keep|stop|leave|stick|write|answer|respond|reply|follow|run|ask|add|put|commit|be)\\b",
		"\\b(?:let's (?:not|stick|always|use|avoid|keep)|leave .{1,60} (?:alone|as (?:it|they) (?:is|are)|untouched|unchanged)|stick (?:to|with)|stay away from|keep .{1,60}(?:below|under|above|within|small|short|as (?:it|they)|out of|in sync|unchanged|green|stable)|stop (?:\\w+ing)|without (?:my|asking|breaking|changing|touching|a|any|\\w+ing))\\b",
		"\\buse .{1,60} (?:not|instead|for (?:all|every|each|any))\\b",
		"\\b(?:i (?:want|expect|prefer|like|hate|insist)|i'd rather|we (?:use|prefer|require|support|never|always))\\b",
		"\\b(?:whatever you do|ask(?:ed)?(?: me)? (?:first|before)|everywhere(?=[.!]?$)|(?:no|without) exceptions?|except (?:on|in|for|when))\\b",
		"\\b(?:stays?|remains?) (?:as (?:it|they)|the way|un\\w+|intact|stable|compatible|private|out of)\\b",
		"\\b(?:every|each|any|anything|everything) [^.?!]{1,60}? (?:has to|have to|needs?|gets?|goes|go|stays?|belongs?)\\b",
		"\\byou (?:can|may) (?!see|find|tell|look|check|read|imagine)|\\b(?:feel free to|it's (?:ok|okay|fine) to|allowed to)\\b",
		"^[^.?!]{3,60} first,? (?:and )?(?:only )?then\\b|\\b(?:go(?:es)?|belongs?) (?:in|to|into|under|on) [^.?!,]{1,60}, [^.?!]{1,60} (?:in|to|into|under|on)\\b",
	].join("|"),
	"i",
);

/** Rules without a word of rules: "pnpm, not npm!", "No emojis.", "prod is off", "tabs over spaces". */
const SHORT_RULE =
	/(?:^|:\s)(?:[-*•]\s+)?(?:no|zero|not a single)\s+[\p{L}\d`"][^?]{1,80}$|[,;–—-]\s*(?:not|never|no)\s+\S[^?]{0,80}$|\bis (?:off|taboo|sacred|untouchable)\b|^\S{2,40} (?:over|beats|>) \S{2,40}[.!]?$|(?:^(?:use|write|name|call|format|target)|(?:^|:\s)(?:answer|reply|respond|speak|keep)) [^?]{2,160}[.!]?$/iu;

const NOT_IN_WORD = "(?<![\\p{L}\\p{N}])";
const WORD_ENDS = "(?![\\p{L}\\p{N}])";
const words = (list: string): string => `${NOT_IN_WORD}(?:${list})${WORD_ENDS}`;

/** Words of rules in other languages; those whose scripts have no spaces stand alone. */
const ABROAD_WORDS = [
	// German
	words(
		"nie|niemals|immer|stets|muss|musst|müssen|müsst|soll|sollst|sollen|sollte|sollten|solltest|darf|darfst|dürfen|keine?[nmrs]?|nur|ausschließlich|statt|anstatt|anstelle|stattdessen|lieber|bevorzuge|bevorzugt|vermeide|vermeiden|verboten|tabu|erlaubt|unbedingt|grundsätzlich|künftig|zukünftig|ab jetzt|ab sofort|von nun an|auf keinen fall|finger weg|achte darauf|achtet darauf|stelle? sicher|höchstens|mindestens|bevor du|vor jede[mrn]?|nach jede[mrn]?|bei jede[mrn]?|jedes mal|ohne zu|nicht ohne|ohne rückfrage|frag mich|ohne meine?|bitte nicht|und nicht|nicht vergessen",
	),
	"^(?:bitte )?\\p{L}{3,14}(?:e|en|t)? (?:[^.!?\\s]{1,40} ){0,6}nicht(?: \\p{L}{1,12})?[.!]?$",
	// French
	words(
		"jamais|toujours|il faut|ne faut|faut pas|doit|dois|doivent|devez|devrait|devraient|uniquement|seulement|plutôt|au lieu|évite|évitez|éviter|préfère|préférez|assure-toi|assurez-vous|interdit|interdite|obligatoire|à partir de maintenant|désormais|dorénavant|sans (?:demander|mon|ma|toucher)|au plus|au moins|chaque fois|avant chaque|après chaque|demande-moi|demandez-moi|pas touche|ne touche(?:z)? pas",
	),
	"(?<![\\p{L}])(?:ne |n['’])(?:[^.!?\\s]{1,30} ){0,2}?[^.!?\\s]{1,30} (?:pas|plus|rien|que)(?![\\p{L}])",
	// Spanish and Portuguese
	words(
		"nunca|siempre|jamás|debe|debes|deben|deberías?|tienes que|tiene que|hay que|solo|sólo|solamente|únicamente|en vez de|en lugar de|evita|evite|evitar|prefiere|prefiero|asegúrate|asegúrese|prohibido|obligatorio|a partir de ahora|de ahora en adelante|sin preguntar|antes de cada|cada vez|pregúntame|pregunta antes|como máximo|al menos|no (?:uses?|usar|toques?|tocar|hagas?|hacer|subas?|borres?|cambies?|modifiques?|añadas?|escribas?|olvides?|pongas?|instales?|ejecutes?|rompas?|edites?|mezcles?|des|dejes?)",
	),
	words(
		"sempre|deve|deves|devem|deveria|tem que|tens de|apenas|somente|em vez de|ao invés de|evite|evita|prefira|prefiro|certifique-se|garanta|proibido|obrigatório|a partir de agora|de agora em diante|sem perguntar|pergunte antes|no máximo|pelo menos|não (?:uses?|use|usar|toque|tocar|mexa|mexer|faças?|faça|fazer|apague|altere|mude|modifique|adicione|escreva|esqueça|instale|execute|commite|suba|crie|coloque|edite)",
	),
	// Italian, Dutch, Polish, Turkish
	words(
		"mai|devi|deve|devono|dovresti|soltanto|solamente|invece di|evita|preferisci|assicurati|vietato|obbligatorio|d'ora in poi|prima di ogni|ogni volta|chiedi prima|non (?:usare|toccare|fare|modificare|cancellare|aggiungere|scrivere|dimenticare)",
	),
	words(
		"nooit|altijd|moet|moeten|mag niet|alleen|uitsluitend|in plaats van|vermijd|liever|zorg ervoor|verboden|verplicht|voortaan|vanaf nu|voor elke|vraag eerst|geen|niet (?:gebruiken|aanraken|doen|wijzigen|pushen)",
	),
	words(
		"nigdy|zawsze|musisz|musi|należy|tylko|wyłącznie|zamiast|unikaj|preferuj|upewnij się|zabronione|wymagane|od teraz|przed każdym|za każdym razem|nie (?:używaj|rób|dotykaj|zmieniaj|usuwaj|dodawaj|pisz|zapomnij|wolno)",
	),
	words(
		"asla|her zaman|daima|zorunlu|sadece|yalnızca|yerine|kaçın|tercih et|emin ol|yasak|bundan sonra|bundan böyle|kullanma|dokunma|yapma|değiştirme|silme",
	),
	// Russian and Ukrainian
	words(
		"никогда|всегда|нельзя|запрещено|запрещается|надо|нужно|необходимо|обязательно|должен|должна|должно|должны|только|исключительно|вместо|избегай|избегайте|предпочитай|предпочитаю|предпочтительно|убедись|убедитесь|следи|отныне|впредь|каждый раз|(?:перед|после) кажд\\p{L}{2,3}|спрашивай|с этого момента|лучше|не больше|не более|не менее|без (?:спроса|разрешения)|не (?:надо|нужно|стоит|смей|забудь|забывай|забывайте)",
	),
	"(?<![\\p{L}])не [\\p{L}]{2,20}(?:й|йте|ь|ьте|и|ите)(?![\\p{L}])",
	words(
		"ніколи|завжди|не можна|заборонено|треба|потрібно|обов'язково|повинен|повинна|лише|тільки|замість|уникай|відтепер",
	),
	// Arabic, Persian, Hebrew, Hindi
	"لا (?:ت|ي)\\p{L}|(?:دائم[اًا]|دوم[اًا]|أبد[اًا]|ابد[اًا]|يجب|يلزم|ينبغي|ممنوع|محظور|فقط|بدل[اًا]? (?:من|عن)|بدلا|تجنب|تأكد|احرص|من الآن|إياك|ليس مسموح|غير مسموح|استخدم|يُ?منع|يُ?فضل)",
	"(?:هرگز|همیشه|نباید|باید|فقط|به جای|ممنوع|لطفا? ن)",
	"(?:לעולם|תמיד|אסור|חייב|צריך|רק |במקום|אל ת)",
	"(?:कभी (?:भी )?(?:नहीं|मत)|हमेशा|मत (?:करो|करना|करें)|ज़?रूर|केवल|सिर्फ|के बजाय|चाहिए)",
	// Chinese, both scripts
	"不要|不准|不许|不許|不得|不能|不可|不允许|不允許|不用|别[^人的处處墅]|別[^人的處墅]|勿|禁止|严禁|嚴禁|必须|必須|一定要|务必|務必|应该|應該|应当|應當|总是|總是|始终|始終|永远|永遠|从不|從不|绝不|絕不|千万|千萬|只能|只用|只要|只允许|只可|仅用|僅用|仅限|優先|优先|尽量|盡量|避免|记得|記得|确保|確保|而不是|代替|一律|每次|先问|先問|以后都|以後都|从现在|從現在|今后|今後|请用|請用|请使用|請使用|改用|统一用|統一用",
	// Japanese
	"しないで|ないでください|てはいけ|てはなら|ではなく|じゃなく|必ず|かならず|絶対|常に|いつも|決して|べき|だけ(?:を|に|で|使)|のみ|なければ|ねばなら|必要があ|禁止|避けて|優先|代わりに|今後|これから|してください|して下さい|使ってください|やめて|しないこと|[うくすつむるぐぶ]こと[。]?$|毎回|にすること|触らない|使わない",
	// Korean
	"하지 ?마|하지 ?말|지 ?마세요|지 ?말(?:고|아|것)|말고|안 ?돼|안 ?됩니다|금지|항상|언제나|절대|반드시|꼭|해야|하여야|만 ?(?:사용|써)|대신|우선|피해|앞으로|지금부터|해 ?주세요|해 ?줘|하세요",
];

/** The wide look, in English and elsewhere. */
const DIRECTS =
	/\b(never|always|must|must ?n[o']?t|don['’]?t|do not|does ?n['’]t need|should|should ?n['’]t|instead|only|make sure|ensure|prefer|avoid|no need|please|stop|keep|leave|without|rather than|from now on|going forward|remember|forget|not allowed|forbidden|off limits|required?|need to|needs to|has to|have to|let['’]?s not|use .{1,40} (?:not|instead)|no more|at (?:most|least)|unless|until|whenever|every time|each time|(?:after|before|for) (?:each|every))\b|,\s*not\b|^no\s/i;
const isRuleAbroad = anyOf(ABROAD_WORDS);
const deniesAbroad = anyOf([words("nicht|kein\\p{L}*|não|pas|no|нет|не")]);

/**
 * Whether a line holds one of these. A line of ASCII alone is asked by a pattern without the letters of the world, which is made
 * ready in 1 to 3 ms instead of 6: most sessions meet no other line.
 */
function anyOf(sources: readonly string[]): (line: string) => boolean {
	let inAscii: RegExp | undefined;
	let everywhere: RegExp | undefined;
	return (line) => {
		if (!/^[\x00-\x7f]*$/.test(line)) {
			everywhere ??= new RegExp(sources.join("|"), "iu");
			return everywhere.test(line);
		}
		inAscii ??= new RegExp(
			sources
				.filter((one) => /[a-z]{3}/.test(one))
				.map(asciiOf)
				.join("|"),
			"i",
		);
		return inAscii.test(line);
	};
}

const asciiOf = (source: string): string =>
	source
		.replaceAll("\\p{L}\\p{N}", "A-Za-z0-9")
		.replace(/(?<=\[)\\p\{L\}/g, "A-Za-z")
		.replaceAll("\\p{L}", "[A-Za-z]");
