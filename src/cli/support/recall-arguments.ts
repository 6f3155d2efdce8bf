import { WrongUse } from "./run-act.ts";

export interface RecallArguments {
	words: string;
	more?: string;
	json: boolean;
}

/**
 * Reads what stands behind `ccg recall`: what is no option of it is looked for, also `-run` or `--continue`. Throws where there is
 * nothing to look for, or an option lacks its value.
 */
export function recallArguments(args: readonly string[]): RecallArguments {
	const words: string[] = [];
	let more: string | undefined;
	let json = false;
	for (let at = 0; at < args.length; at++) {
		const one = args[at]!;
		if (one === "--json") json = true;
		else if (one === "--all")
			throw new WrongUse(
				"ccg recall finds what belongs to this project; others are searched with: ccg search --all WORDS",
			);
		else if (one === "--more" || one.startsWith("--more=")) {
			more = one === "--more" ? args[++at] : one.slice("--more=".length);
			if (!more) throw new WrongUse("--more needs the id of a passage, as in: ccg recall --more 3f9a1.k2p");
		} else if (one !== "--no-color" && one !== "--") words.push(one);
	}
	if (more === undefined && !words.some((word) => word.trim()))
		throw new WrongUse("name what to look for, as in: ccg recall lock timeout");
	return { words: words.join(" "), json, ...(more !== undefined && { more }) };
}
