import { pad, wrapped } from "./fit.ts";

const GAP = 3;

/** Two texts beside each other, each wrapped in its half of `width`. */
export function sideBySide(left: string, right: string, width: number): string[] {
	const half = Math.floor((width - GAP) / 2);
	const [a, b] = [wrapped(left, half), wrapped(right, half)];
	return Array.from({ length: Math.max(a.length, b.length) }, (_, i) =>
		`${pad(a[i] ?? "", half)}${" ".repeat(GAP)}${b[i] ?? ""}`.trimEnd(),
	);
}
