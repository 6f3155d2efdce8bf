/** -1, 0 or 1: which of two versions is the older. What comes before a release (`1.2.3-beta`) is older than it. */
export function order(a: string, b: string): -1 | 0 | 1 {
	const [one, other] = [parts(a), parts(b)];
	for (let i = 0; i < 3; i++) {
		const by = Math.sign(one.numbers[i]! - other.numbers[i]!);
		if (by !== 0) return by as -1 | 1;
	}
	if (one.before === other.before) return 0;
	if (!one.before || !other.before) return one.before ? -1 : 1;
	const [left, right] = [one.before.split("."), other.before.split(".")];
	for (let i = 0; i < Math.max(left.length, right.length); i++) {
		const by = orderOf(left[i], right[i]);
		if (by !== 0) return by;
	}
	return 0;
}

/** Numbers by their size and below words, fewer parts below more. */
function orderOf(a: string | undefined, b: string | undefined): -1 | 0 | 1 {
	if (a === b) return 0;
	if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
	const [isNumber, isOther] = [/^\d+$/.test(a), /^\d+$/.test(b)];
	if (isNumber && isOther) return Math.sign(Number(a) - Number(b)) as -1 | 0 | 1;
	if (isNumber !== isOther) return isNumber ? -1 : 1;
	return a < b ? -1 : 1;
}

function parts(version: string): { numbers: number[]; before: string } {
	const [, numbers = "", before = ""] = /^v?(\d+(?:\.\d+){0,2})(?:-([^+]*))?/.exec(version) ?? [];
	const known = numbers.split(".").map(Number);
	return { numbers: [known[0] ?? 0, known[1] ?? 0, known[2] ?? 0], before };
}
