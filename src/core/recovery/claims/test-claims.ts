import { checkKind } from "../../state/commands.ts";
import type { DeedClaim } from "./deed-claim.ts";
import { OTHERS } from "./other-people.ts";

const TESTS =
	/((?:\b[\w`'-]{1,40} ){0,4})\btests?(?: suites?| cases| files)?((?: (?:now|all|still|also|again|are|were|is|was|have|has|been|then|successfully|both|run|ran|and)){0,4}) (pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|successful)(?=$|[.,;:!)(–—✅&+]|\s(?:and|with|after|on|in|now|again|locally|for|including|too|both|successfully|as|✅|\())/i;
/** `npm test` - all passed */
const COMMAND_PASSES =
	/`([^`]{4,160})`(?: (?:now|also|all))*(?: ?[-–—:] ?| ?\(|,? which | )(?:now |also |all |everything )?(?:pass(?:es|ed)?|succeed(?:s|ed)|clean|green|is clean|0 issues)\b/i;
const FAILS = /\b(?:fail(?:s|ed|ing|ure)?|however|except|broke|red)\b|^but\b/i;

/** Statements that tests pass; `next` is the sentence behind. */
export function testClaims(text: string, next: string, about: Pick<DeedClaim, "sentence" | "isNow">): DeedClaim[] {
	if (FAILS.test(next) || /\bCI\b(?! tests)|pipeline|workflow|hook/i.test(text)) return [];
	const plain: DeedClaim = { ...about, kind: "test", file: "", isPassive: true, which: "" };
	const claims: DeedClaim[] = [];
	const tests = TESTS.exec(text);
	if (tests && !OTHERS.test(tests[1]!))
		claims.push({
			...plain,
			// "the test passes" is about one of them
			which: /\btest (?!suite|run)/i.test(tests[0]) ? "one" : whichOf(tests[1]!),
			isNow: about.isNow && isPresent(tests[2]!, tests[3]!),
		});
	const command = COMMAND_PASSES.exec(text)?.[1];
	// one command says nothing of all tests
	if (command && checkKind(command) === "test") claims.push({ ...plain, isNow: false, which: "some" });
	return claims;
}

const isPresent = (aux: string, verb: string): boolean =>
	/^(?:pass|passes|passing|green)$/i.test(verb) && !/\b(?:were|was|been)\b/i.test(aux);
const whichOf = (before: string): string =>
	(
		before
			.toLowerCase()
			.split(/\b(?:and|that|so|then|with|now)\b|[,;:]/)
			.at(-1) ?? ""
	)
		.replace(/\b(?:all|the|of|full|entire|whole|complete|our|my|existing|\d+|fix|made|are|is)\b|[-–✅✓]/g, "")
		.trim();
