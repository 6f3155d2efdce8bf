import { afterEach, describe, expect, test } from "vitest";
import { type RedactionRules, rulesFrom } from "../../../src/core/redact/lazy-rules.ts";
import { keepOut } from "../../../src/core/redact/secrets.ts";
import { redactHookAnswer } from "../../../src/events/run/print.ts";

const REASON = "The context is nearly full: run `ccg task checkpoint --did x --next y`, password: Falcon#22x";
const denial = {
	systemMessage: "Changes wait for a checkpoint (token abcdef0123456789abcdef).",
	hookSpecificOutput: {
		hookEventName: "PreToolUse",
		permissionDecision: "deny",
		permissionDecisionReason: REASON,
	},
};
const context = (text: string) => ({
	hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: text },
});
const parsed = (answer: object) => {
	const { text, isCut } = redactHookAnswer({ ...answer });
	return { answer: text === null ? null : JSON.parse(text), isCut };
};
const real = (): RedactionRules => require("../../../src/core/redact/rules.ts");

afterEach(() => {
	rulesFrom(real);
	keepOut({});
});

describe("without the rules", () => {
	const lose = (): void => {
		rulesFrom(() => {
			throw new Error("gone");
		});
		keepOut({});
	};

	test("a denial stays one, with a reason that holds nothing of the text", () => {
		lose();
		const { answer, isCut } = parsed(denial);
		expect(isCut).toBe(true);
		expect(Object.keys(answer)).toEqual(["hookSpecificOutput"]);
		expect(answer.hookSpecificOutput).toEqual({
			hookEventName: "PreToolUse",
			permissionDecision: "deny",
			permissionDecisionReason: expect.stringMatching(/^ccg holds back changes .* rules could not be loaded/),
		});
	});

	test.each([context(REASON), context(`${REASON}\n`), { systemMessage: REASON }])(
		"an answer of text alone is none: %j",
		(answer) => {
			lose();
			expect(parsed(answer)).toEqual({ answer: null, isCut: true });
		},
	);

	test("nor is a plain text", () => {
		lose();
		expect(redactHookAnswer(`${REASON}\n`)).toEqual({ text: null, isCut: true });
	});

	test("what needs no rules is printed", () => {
		lose();
		expect(parsed(context("src/shop.ts"))).toEqual({ answer: context("src/shop.ts"), isCut: false });
	});
});

describe("with them", () => {
	test("secrets in the texts go, the rest stays", () => {
		const { answer, isCut } = parsed(denial);
		expect(isCut).toBe(false);
		expect(JSON.stringify(answer)).not.toContain("Falcon#22x");
		expect(answer.hookSpecificOutput).toMatchObject({ hookEventName: "PreToolUse", permissionDecision: "deny" });
		expect(answer.hookSpecificOutput.permissionDecisionReason).toContain("ccg task checkpoint");
	});

	test.each(["PreToolUse", "permissionDecision", "hookSpecificOutput", "hookEventName"])(
		"a variable of the environment whose secret is %s takes no word of the protocol",
		(value) => {
			keepOut({ ACCESS_TOKEN: value });
			const { answer } = parsed(denial);
			expect(answer.hookSpecificOutput).toMatchObject({ hookEventName: "PreToolUse", permissionDecision: "deny" });
		},
	);

	test("words that ccg does not write there are texts", () => {
		const { answer } = parsed({ hookSpecificOutput: { hookEventName: `ghp_${"aZ4kQ9mB2xW7".repeat(3)}` } });
		expect(answer?.hookSpecificOutput.hookEventName ?? "").not.toContain("aZ4k");
	});
});
