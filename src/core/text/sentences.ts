/**
 * Where the sentences of a text begin and end, in order, without the white space between. One ends at its mark, at a blank line, before
 * a list's item or a heading; not at a wrapped line, at the number of a list's item, or inside a name. Linear.
 */
export function sentenceSpans(text: string): { start: number; end: number }[] {
	const ends = Array.from(text.matchAll(END), ({ index, 0: mark }) => index + mark.length);
	return [...ends, text.length].flatMap((end, n) => {
		const sentence = text.slice(ends[n - 1] ?? 0, end);
		const trimmedEnd = end - (sentence.length - sentence.trimEnd().length);
		return sentence.trim() ? [{ start: trimmedEnd - sentence.trim().length, end: trimmedEnd }] : [];
	});
}

const END =
	/(?<!^[ \t>#*-]{0,12}\d{1,3})[.!?…؟۔।][.!?…؟۔।"'”’»)\]*_`]{0,8}(?=\s|$)|[。！？；]|(?<=:)\n|\n(?=[^\S\n]{0,40}(?:\n|[-*•+] |\d{1,3}[.)] |#{1,6} ))/gm;

/** Whether a request says that it is meant to last, by words such as "always" in several languages. It only gives the text more room. */
export const isMeantToLast = (text: string): boolean => SPACED.test(text) || UNSPACED.test(text);

const SPACED = new RegExp(
	`(?<!\\p{L})(?:${[
		"never(?! ?mind)|always|from now on|remember|(?:every|each) time|whenever|for the rest of|until further notice|going forward|in (?:the )?future|at all times|as a rule",
		"nie|niemals|immer|ab jetzt|ab sofort|von nun an|merke? dir|jedes mal|(?:zu)?künftig|in zukunft",
		"jamais|toujours|désormais|à partir de maintenant|souviens-toi|retiens|(?:à )?chaque fois|dorénavant|à l[’']avenir",
		"nunca|siempre|jamás|a partir de ahora|(?:de ahora )?en adelante|recuerda|cada vez|en el futuro",
		"sempre|a partir de agora|de agora em diante|lembre-se|lembra-te|(?:toda|cada) vez|no futuro",
		"mai|d['’]ora in (?:poi|avanti)|ricorda|ogni volta|in futuro",
		"nooit|altijd|voortaan|vanaf nu|onthoud|elke keer|in het vervolg|in de toekomst",
		"nigdy|zawsze|od teraz|pamiętaj|za każdym razem|w przyszłości",
		"никогда|всегда|отныне|впредь|запомни|каждый раз|с этого момента|в будущем",
		"asla|her zaman|bundan (?:sonra|böyle)|unutma|hatırla|her seferinde",
		"دائم[اًﹰ]{1,2}|أبد[اً]{1,2}|من الآن|تذكر",
	].join("|")})(?!\\p{L})`,
	"iu",
);
const UNSPACED =
	/永远|永遠|总是|總是|始终|始終|从不|從不|以后|以後|每次|记住|記住|从现在|從現在|今后|一律|必ず|絶対|いつも|常に|今後|毎回|これから|覚えて|항상|언제나|절대|앞으로|지금부터|매번|기억/;
