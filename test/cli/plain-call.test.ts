import fc from "fast-check";
import { expect, test } from "vitest";
import { ALL_COMMANDS } from "../../src/cli/all-commands.ts";
import { parse } from "../../src/cli/parser.ts";
import { plainCall } from "../../src/cli/plain-call.ts";
import type { Call, Spec } from "../../src/cli/support/command.ts";
import type { Io } from "../../src/cli/support/io.ts";

const names = Object.entries(ALL_COMMANDS).flatMap(([name, one]) =>
	typeof one === "function"
		? [{ name: [name], load: one }]
		: Object.entries(one.commands).map(([own, load]) => ({ name: [name, own], load })),
);
const specs = await Promise.all(names.map(async ({ name, load }) => ({ name, spec: await load() })));

/** What commander makes of the words; `null` where it runs nothing. */
async function commanders(args: readonly string[]): Promise<Call | null> {
	let call: Call | null = null;
	const io = { env: {}, launcher: "ccg", colours: {}, args, out() {}, err() {}, exit() {} } as unknown as Io;
	await parse(io, ALL_COMMANDS, async (one) => {
		call = one;
		return null;
	});
	return call;
}

/** Functions by what they give; a command's file may make it anew. */
const plain = (call: Call) => ({
	...call,
	spec: call.spec.about,
	given: Object.fromEntries(
		Object.entries(call.given).map(([name, value]) => [name, typeof value === "function" ? value(new Date(0)) : value]),
	),
});

const WORDS = [
	"",
	"-",
	"a",
	"12h",
	"7",
	"0.5",
	"memory",
	"list",
	"help",
	"user",
	"log",
	"2.1.100",
	"block",
	"--",
	"-x",
	"--help",
	"--version",
	"-5",
	"--all=1",
];

const wordsFor = ({ options = [] }: Spec) =>
	fc.array(
		fc.oneof(
			fc.constantFrom(...WORDS),
			fc.constantFrom("--json", ...options.map(({ flags }) => flags.split(" ")[0]!)),
			fc.constantFrom("a", ...options.flatMap(({ choices = [] }) => choices)),
		),
		{ maxLength: 5 },
	);

test.each(specs.map(({ name, spec }) => [name.join(" "), name, spec] as const))(
	"ccg %s: what is read without commander is what commander reads",
	async (_, name, spec) => {
		await fc.assert(
			fc.asyncProperty(wordsFor(spec), async (words) => {
				const call = await plainCall([...name, ...words], ALL_COMMANDS);
				if (call) expect(plain(call)).toEqual(plain((await commanders([...name, ...words]))!));
			}),
			{ numRuns: 300 },
		);
	},
);

test.each([
	["recall why was it raised", { name: "recall", given: {}, args: [["why", "was", "it", "raised"]] }],
	["memory save --target log - x", { name: "save", given: { target: "log" }, args: [["-", "x"]] }],
	["checkpoint list manual --all", { name: "list", given: { all: true }, args: ["manual"] }],
	["gc --dry-run", { name: "gc", given: { dryRun: true } }],
	["memory", null],
	["recall --help", null],
	["recall -- --more", null],
	["recall --since never x", null],
	["memory save", null],
	["checkpoint list manual more", null],
	["checkpoint list odd", null],
	["constructor", null],
])("ccg %s: read by itself or left to commander", async (line, expected) => {
	const call = await plainCall(line.split(" "), ALL_COMMANDS);
	if (expected) expect(call).toMatchObject(expected);
	else expect(call).toBeNull();
});
