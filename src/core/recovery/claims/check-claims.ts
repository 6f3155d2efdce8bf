import { checkKind } from "../../state/commands.ts";
import type { About, DeedClaim } from "./deed-claim.ts";
import { OTHERS } from "./other-people.ts";

const TESTS =
	/((?:\b[\w`'-]{1,40} ){0,4})\btests?(?: suites?| cases| files)?((?: (?:now|all|still|also|again|are|were|is|was|have|has|been|then|successfully|both|run|ran|and)){0,4}) (pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|successful)(?=$|[.,;:!)(–—✅&+]|\s(?:and|with|after|on|in|now|again|locally|for|including|too|both|successfully|as|✅|\())/i;
const BUILDS =
	/\b(?:build|compilation)(?: now| still| also)?(?: is| was| are)?(?: now)? (?:pass(?:es|ed|ing)|succeed(?:s|ed)|successful|green|clean|works|worked)\b|\b(?:project|code|it|everything|package|binary|program|app) (?:now |still |also )?(?:builds?|built|compiles?|compiled)(?: (?:now|again))? (?:successfully|cleanly|fine|without (?:any )?(?:errors?|warnings?|problems?|issues?))/i;
const LINTS =
	/\b(?:lint(?:er|ing|s)?|eslint|biome|ruff|clippy|golangci-lint|type[- ]?check(?:ing|er|s)?|typescript|tsc|mypy)(?: (?:and|&) \w{2,12})?(?: check| checks| run)?(?: is| are| was| were| now| also| all| both| still){0,3} (?:pass(?:es|ed|ing)?|clean|green|(?:reports?|shows?|finds?|found|reported) (?:no|0|zero) (?:issues|errors|problems|warnings)|succeed(?:s|ed)?)\b/i;

/** Tests that pass, a build that goes through, a clean lint. */
export function checkClaims(text: string, next: string, about: About): DeedClaim[] {
	if (FAILS.test(next) || /\bCI\b(?! tests)|pipeline|workflow|hook/i.test(text)) return [];
	const claims: DeedClaim[] = [];
	const plain = { ...about, file: "", isPassive: true, which: "" };
	const tests = TESTS.exec(text);
	if (tests && !OTHERS.test(tests[1]!))
		claims.push({
			...plain,
			kind: "test",
			// "the test passes" is about one of them
			which: /\btest (?!suite|run)/i.test(tests[0]) ? "one" : whichOf(tests[1]!),
			isNow: about.isNow && isPresent(tests[2]!, tests[3]!),
		});
	if (BUILDS.test(text)) claims.push({ ...plain, kind: "build" });
	if (LINTS.test(text)) claims.push({ ...plain, kind: "lint" });
	const command = COMMAND_PASSES.exec(text)?.[1];
	const kind = command ? checkKind(command) : null;
	// one command says nothing of all tests
	if (kind === "test" || kind === "build" || kind === "lint")
		claims.push({ ...plain, kind, isNow: false, which: kind === "test" ? "some" : "" });
	return claims;
}
/** `npm test` - all passed */
const COMMAND_PASSES =
	/`([^`]{4,160})`(?: (?:now|also|all))*(?: ?[-–—:] ?| ?\(|,? which | )(?:now |also |all |everything )?(?:pass(?:es|ed)?|succeed(?:s|ed)|clean|green|is clean|0 issues)\b/i;
const FAILS = /\b(?:fail(?:s|ed|ing|ure)?|however|except|broke|red)\b|^but\b/i;
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
