/**
 * Words by which people direct, forbid or prefer. Wide on purpose: a sentence too many costs a line, one too few costs
 * an instruction.
 */
const DIRECTIVE =
	/\b(never|always|must|must ?n[o']?t|don['’]?t|do not|does ?n['’]t need|should|should ?n['’]t|instead|only|make sure|ensure|prefer|avoid|no need|please (?:don['’]t|do not|keep|use|stop|leave)|stop|keep|leave|without|rather than|from now on|going forward|remember|forget|not allowed|forbidden|required?|need to|has to|have to|let['’]?s not|use .{1,40} (?:not|instead)|no more|at (?:most|least)|unless|until|whenever|every time|each time|(?:after|before|for) (?:each|every))\b/i;

/** The sentences of a message that direct, verbatim, in order. Pasted blocks are passed over: what counts is prose. */
export function directivesOf(text: string): string[] {
	const found: string[] = [];
	for (const sentence of text.split(/(?<=[.!?\n])\s+/)) {
		const line = sentence.trim();
		if (line.length > 3 && line.length < 400 && DIRECTIVE.test(line)) found.push(line);
	}
	return found;
}
