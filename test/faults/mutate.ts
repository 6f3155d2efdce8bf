import * as fc from "fast-check";

const JUNK = fc.oneof(
	fc.constantFrom<unknown>(
		null,
		true,
		-1,
		1e308,
		"",
		"x".repeat(5_000),
		[],
		{},
		[null],
		{ a: { b: [] } },
		"\u0000",
		"__proto__",
	),
	fc.jsonValue({ maxDepth: 2 }),
);

/** One way to spoil a text: cut, flipped, doubled, emptied, or as JSON with parts replaced, dropped or wrongly typed. */
export const MUTATION: fc.Arbitrary<(text: string) => string> = fc.oneof(
	{
		weight: 1,
		arbitrary: fc
			.double({ min: 0, max: 1, noNaN: true })
			.map((share) => (text: string) => text.slice(0, text.length * share)),
	},
	{
		weight: 1,
		arbitrary: fc
			.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.integer({ min: 0, max: 0xffff }))
			.map(([share, code]) => (text: string) => {
				const at = Math.floor(text.length * share);
				return text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
			}),
	},
	{
		weight: 1,
		arbitrary: fc.constantFrom(
			(text: string) => text + text,
			() => "",
			() => "\0".repeat(100),
			(text: string) => `\uFEFF${text}`,
		),
	},
	{ weight: 1, arbitrary: fc.jsonValue().map((value) => () => JSON.stringify(value)) },
	{
		weight: 6,
		arbitrary: fc
			.array(fc.tuple(fc.nat(10_000), JUNK, fc.boolean()), { minLength: 1, maxLength: 4 })
			.map((changes) => (text: string) => {
				const value = JSON.parse(text) as unknown;
				for (const [where, junk, drop] of changes) spoil(value, where, junk, drop);
				return JSON.stringify(value);
			}),
	},
);

/** Replaces or drops one of all the places of a value. */
function spoil(root: unknown, where: number, junk: unknown, drop: boolean): void {
	const places: [Record<string, unknown>, string][] = [];
	const walk = (value: unknown): void => {
		if (value === null || typeof value !== "object") return;
		for (const name of Object.keys(value)) {
			places.push([value as Record<string, unknown>, name]);
			walk((value as Record<string, unknown>)[name]);
		}
	};
	walk(root);
	const [holder, name] = places[where % Math.max(1, places.length)] ?? [];
	if (!holder || !name) return;
	if (drop) delete holder[name];
	else holder[name] = junk;
}
