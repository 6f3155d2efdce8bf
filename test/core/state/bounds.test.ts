import { expect, test } from "vitest";
import { applyToState } from "../../../src/core/state/apply.ts";
import { emptyState, type SessionState } from "../../../src/core/state/session-state.ts";
import { withdrawalsOf } from "../../../src/core/state/withdrawals.ts";
import { call, message } from "../../kit/session-events.ts";

const RULE = "Never touch the ledger schema.";
const said = (count: number, text: (n: number) => string) => Array.from({ length: count }, (_, n) => message(text(n)));
const texts = ({ messages }: SessionState): string[] => messages.map(({ text }) => text);

function after(...events: Parameters<typeof applyToState>[1][]): SessionState {
	const state = emptyState();
	for (const event of events) applyToState(state, event);
	return state;
}

test("a rule outlives 600 requests of the moment", () => {
	const state = after(message(RULE), ...said(600, (n) => `Make sure part ${n} compiles for now.`));
	expect(texts(state)[0]).toBe(RULE);
	expect(texts(state)).toHaveLength(400);
	expect(state.dropped.messages).toBe(201);
});

test("what was said last stays, though all that was said before are rules", () => {
	const state = after(...said(450, (n) => `Never touch file${n}.ts.`), message("go on"));
	expect(texts(state).at(-1)).toBe("go on");
	expect(texts(state)).toHaveLength(400);
});

test("a rule of the beginning is taken back after 200 others", () => {
	const state = after(
		message("Never restart the worker container."),
		...said(200, (n) => `Never touch file${n}.ts.`),
		message("Forget what I said about the worker container."),
	);
	expect(withdrawalsOf(state).get(state.messages[0]!)).toMatchObject([
		{ by: "Forget what I said about the worker container." },
	]);
});

test("a correction outlives 200 refusals without a word", () => {
	const refused = "The user doesn't want to proceed with this tool use. The tool use was rejected";
	const corrected = `${refused}. To tell you how to proceed, the user said:\nNever use sudo here.`;
	const state = after(
		...call("Bash", { command: "sudo ls" }, corrected, true, "User rejected tool use"),
		...Array.from({ length: 200 }, (_, n) =>
			call("Bash", { command: `rm ${n}` }, refused, true, "User rejected tool use"),
		).flat(),
	);
	expect(state.decisions[0]?.words).toBe("Never use sudo here.");
	expect(state.decisions).toHaveLength(80);
});
