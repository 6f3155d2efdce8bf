/**
 * Whether a sed script only edits what it prints. False for commands that write files or run programs (`w`, `W`, `e`, and
 * `s` with these flags), and for all it does not know.
 */
export function isPrintingSed(script: string): boolean {
	if (script.length > 4_096) return false;
	let at = 0;
	const skip = (pattern: RegExp): string => {
		pattern.lastIndex = at;
		const found = pattern.exec(script)?.[0] ?? "";
		at += found.length;
		return found;
	};
	/** Up to the next `end` without a backslash before it; false when there is none. */
	const delimited = (end: string): boolean => {
		for (; at < script.length; at++) {
			const char = script[at];
			if (char === "\\") at++;
			// versions differ on what a bracket holds
			else if (char === "[" && !isClosedBefore(script, at, end)) return false;
			else if (char === end) {
				at++;
				return true;
			} else if (char === "\n") return false;
		}
		return false;
	};
	const address = (): boolean => {
		if (skip(/\d+(?:~\d+)?|\$/y)) return true;
		if (script[at] !== "/") return false;
		at++;
		if (!delimited("/")) throw new Error("open address");
		skip(/[IM]*/y);
		return true;
	};
	try {
		while (at < script.length) {
			skip(/[\s;{}]+/y);
			if (at >= script.length) return true;
			if (address()) {
				skip(/[ \t]*/y);
				if (script[at] === ",") {
					at++;
					skip(/[ \t]*/y);
					if (!skip(/[+~]\d+/y) && !address()) return false;
				}
				skip(/[ \t]*/y);
			}
			skip(/(?:![ \t]*)*/y);
			const command = script[at++];
			if (command === undefined) return false;
			if (command === "{" || command === "#") {
				if (command === "#") skip(/[^\n]*/y);
				continue;
			}
			if (command === "s" || command === "y") {
				const end = script[at++];
				if (!end || /[\s\\\w[\]]/.test(end) || !delimited(end) || !delimited(end)) return false;
				if (command === "s") skip(/[gpIiMm0-9]*/y);
			} else if (/[qQlL]/.test(command)) skip(/[ \t]*\d*/y);
			else if (/[btT:]/.test(command)) skip(/[ \t]*\w*/y);
			else if (!/[pPdDnNgGhHxz=F]/.test(command)) return false;
			skip(/[ \t]*/y);
			if (at < script.length && !/[\n;}#]/.test(script[at]!)) return false;
		}
		return true;
	} catch {
		return false;
	}
}

/** Whether a bracket expression ends before `end` comes. */
function isClosedBefore(script: string, at: number, end: string): boolean {
	const close = script.indexOf("]", at + 2);
	const next = script.indexOf(end, at + 1);
	return close >= 0 && (close < next || next < 0);
}
