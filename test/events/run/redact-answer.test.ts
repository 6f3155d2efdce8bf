import { afterEach, expect, test } from "vitest";
import { type RedactionRules, setRulesLoader } from "../../../src/core/redact/lazy-rules.ts";
import { registerEnvironmentSecrets } from "../../../src/core/redact/secrets.ts";
import { redactHookAnswer } from "../../../src/events/run/print.ts";

const REASON = "The context is nearly full: run `ccg task checkpoint --did x --next y`, password: Falcon#22x";
const DENIED = { hookEventName: "PreToolUse", permissionDecision: "deny" };
const denial = {
	systemMessage: "Changes wait for a checkpoint (token abcdef0123456789abcdef).",
	hookSpecificOutput: { ...DENIED, permissionDecisionReason: REASON },
};
const context = (text: string) => ({
	hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: text },
});
const parsed = (answer: object) => {
	const { text, isCut } = redactHookAnswer({ ...answer });
	return { answer: text === null ? null : JSON.parse(text), isCut };
};
const real = (): RedactionRules => require("../../../src/core/redact/rules.ts");
const lose = (): never => {
	throw new Error("gone");
};

afterEach(() => {
	setRulesLoader(real);
	registerEnvironmentSecrets({});
});

test("without the rules a denial stays one, texts are left out, and what needs no rules is printed", () => {
	setRulesLoader(lose);
	registerEnvironmentSecrets({});
	const permissionDecisionReason = expect.stringMatching(/^ccg holds back changes .* rules could not be loaded/);
	const bare = { hookSpecificOutput: { ...DENIED, permissionDecisionReason } };
	expect(parsed(denial)).toEqual({ answer: bare, isCut: true });
	for (const answer of [context(REASON), context(`${REASON}\n`), { systemMessage: REASON }])
		expect(parsed(answer)).toEqual({ answer: null, isCut: true });
	expect(redactHookAnswer(`${REASON}\n`)).toEqual({ text: null, isCut: true });
	expect(parsed(context("src/shop.ts"))).toEqual({ answer: context("src/shop.ts"), isCut: false });
});

test.each(["PreToolUse", "permissionDecision", "hookSpecificOutput", "hookEventName"])(
	"with them secrets in the texts go, and a variable whose secret is %s takes no word of the protocol",
	(value) => {
		registerEnvironmentSecrets({ ACCESS_TOKEN: value });
		const { answer, isCut } = parsed(denial);
		expect(isCut).toBe(false);
		expect(JSON.stringify(answer)).not.toContain("Falcon#22x");
		expect(answer.hookSpecificOutput).toMatchObject(DENIED);
		expect(answer.hookSpecificOutput.permissionDecisionReason).toContain("ccg task checkpoint");
	},
);

test("words that ccg does not write there are texts", () => {
	const { answer } = parsed({ hookSpecificOutput: { hookEventName: `ghp_${"aZ4kQ9mB2xW7".repeat(3)}` } });
	expect(answer?.hookSpecificOutput.hookEventName ?? "").not.toContain("aZ4k");
});
