/** A part of a text, in characters. */
export interface Window {
	start: number;
	end: number;
}

/** As long as the shortest token, key line and encoded text: without such a run none of them is there. */
export const LONG = /[A-Za-z0-9_$+/=.:~%{\\-]{14}/;

const BEFORE = 160;
const BEHIND = 700;
/** A list, a table or a block goes on for longer. */
const LONG_BEHIND = 5_000;
const LINE = 8_192;

/**
 * Words for a secret, of programs and files that hold one, of lists of them: what every look but those for forms begins at. One
 * branch for each first letter: with one for each word the look takes twice as long.
 */
const HINT =
	/a(?:uthentication[ -](?:pass)?code|uthenticator[ -](?:pass)?code|nmeldecode|uth|dgang|ccesso|z login|ria2c)|b(?:earer|cp |ackup|ip-?39|itcoin)|c(?:onnect(?:ion)?\(|ipher|reate_?user|onfirmation[ -](?:pass)?code|ode de |odice |onnect(?:ed)? (?:to|as|with|\w{1,30}\/)|red|ookie|onn(?:ection)?[_ -]?str|ontrase|have|odes|lave|l\u00e9|url|mdkey|qlsh|lickhouse|hpasswd|ryptsetup|onfig:set|onfig set)|d(?:sn|ocker|eployer)|e(?:xpd?p? |inmalcode|thereum)|from-literal|h(?:mac|ash(?:sync)?\(|ook|as[l\u0142]|esl|ttpie|elm)|i(?:mpd?p? |fre|dentif(?:ied|y)|dentify|nflux|pmitool)|j(?:wt|eton|elsz)|k(?:ey|ennw|ode|lucz|init|v put|ind\\*"?:|ata sandi)|l(?:og in|ogged[ -]?in|ogging[ -]?in|[o\u00f6]sen|icen[cs]e|og-?in|dap|ftp)|m(?:fa[ -](?:pass)?code|nemonic|dp|ots? de|ysql|ariadb|ongo|osquitto|utt)|n(?:once|et (?:use|user)|mcli)|o(?:ne-time[ -](?:pass)?code|tp\b|tp[ :="'_]|penssl|otp)|p(?:do\(|ass|wd|wor|w[ :=_"']|epper|sk|fx|12|arol|in[ :="'_-]|hrase|odman|sexec|ut-parameter|rivkey)|r(?:unas|man |edis|pcclient|ar |abbit|dp|desktop|estic|ecover)|s(?:ecurity[ -](?:pass)?code|ms[ -](?:pass)?code|icherheitscode|sid|igned[ -]?in|igning[ -]?in|ecret|alt|eed|enha|alasana|as[_=-]|ig[=_"-]|ignature|id[=_"';:]|leutel|chl\u00fcssel|ign in|ess(?:ion)?[_-]?id=|ql(?:cmd|plus|ldr|cl)|mb|waks|nmp|vn |ecurity |igntool|udo|end |etx |ecurestring|cratch|olana|tringdata)|t(?:hin:|wo-factor[ -](?:pass)?code|[aä]tigungscode|oken|wine|otp)|user(?:name)?\/pass|v(?:erification[ -](?:pass)?code|alkey)|w(?:i-?fi|lan|acht|if|get|pa_|allet)|x(?:prv|h |-amz-)|z(?:ugang|ip -|ip )|7z|2fa[ -](?:pass)?code|[ _-]code[="':s]|:(?:(?:[0-9]{3,5}|\*):[\w*.-]{1,60}:[\w*.-]|\/\/)|<<<|%2f%2f|\\\/\\\/|"auths?|[?&](?:sig|code|ticket|hmac|x-)|\t(?:TRUE\t|FALSE\t)|&lt;\//gi;
const LISTS = /^(?:recover|backup|scratch|kind|cookie|stringdata|mnemonic|phrase|seed|wallet|solana)/i;

/**
 * The parts of a text that are worth a look for what is known by its surroundings: round every word that stands beside secrets.
 * They don't touch; most texts have none or few. A part ends with its line, so that a long value is in it as a whole.
 */
export function windowsOf(text: string): Window[] {
	const windows: Window[] = [];
	HINT.lastIndex = 0;
	for (let hint = HINT.exec(text); hint; hint = HINT.exec(text)) {
		const last = windows.at(-1);
		const start = Math.max(0, hint.index - BEFORE);
		const wanted = Math.min(text.length, hint.index + (LISTS.test(hint[0]) ? LONG_BEHIND : BEHIND));
		const reach = last && start <= last.end ? last : null;
		if (reach && wanted <= reach.end) continue;
		const end = lineEnd(text, wanted);
		if (reach) reach.end = end;
		else windows.push({ start: lineStart(text, start), end });
	}
	return windows;
}

function lineEnd(text: string, at: number): number {
	const most = Math.min(text.length, at + LINE);
	const next = (from: number): number => {
		const length = text.slice(from, most).indexOf("\n");
		return length < 0 ? -1 : from + length;
	};
	let end = next(at);
	// lines of one long value belong together
	while (end >= 0 && end < most && CODED_LINE.test(text.slice(end, end + 80))) end = next(end + 1);
	return end < 0 || end > most ? most : end;
}

const CODED_LINE = /^\r?\n[ \t>|+]{0,20}(?:\d{1,6}[→\t:|])?[A-Za-z0-9+/=_-]{38,}/;

function lineStart(text: string, at: number): number {
	const least = Math.max(0, at - BEFORE);
	const line = text.slice(least, at).lastIndexOf("\n");
	return line < 0 ? (least === 0 ? 0 : at) : least + line + 1;
}
