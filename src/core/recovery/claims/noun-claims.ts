import type { DeedKind } from "../../state/deed-kinds.ts";
import type { About, DeedClaim } from "./deed-claim.ts";
import { OTHERS, PERSONS } from "./other-people.ts";

const LABELLED: [RegExp, DeedKind][] = [
	[/\bPR(?: #?\d{1,6})? (?:created|opened)\b/i, "open request"],
	[/\bPR(?: #?\d{1,6})? merged\b/i, "merge"],
	[/\b(?:issue|ticket) (?:#?\d{1,6}|[A-Z]{2,8}-\d{1,6}) (?:created|opened|filed)\b/i, "open issue"],
	[/\b(?:issue|ticket) #?\d{1,6} closed\b/i, "close"],
];
const FILE_LABEL =
	/^[-*•] `([\w@./-]{1,120}\.[a-z]\w{0,5})`(?: ?\(| ?[-–—:] ?)(?:newly )?created\b(?! (?:by|in|at|on|when|during)\b)/i;

/** "PR #12 created", "`src/cart.ts` (created)". */
export function labelClaims(text: string, about: About): DeedClaim[] {
	const claim = { ...about, file: "", isPassive: true, which: "" };
	const file = FILE_LABEL.exec(text)?.[1];
	if (file) return [{ ...claim, kind: "files", file }];
	return LABELLED.flatMap(([pattern, kind]) => {
		const found = pattern.exec(text);
		return found && !PERSONS.test(text.slice(0, found.index)) ? [{ ...claim, kind }] : [];
	});
}

const NOUN =
	/\b(force[- ]push|push|commit|merge|deploy(?:ment)?|release|migration|tests?|publish(?:ing)?|install(?:ation)?) (?:was |has been |were |is )?(?:successfully |now )?(made|done|completed?|successful|succeeded|went through|finished|performed|executed|created)\b/i;
const BY_NOUN: [RegExp, DeedKind][] = [
	[/^force/, "force push"],
	[/^push/, "push"],
	[/^commit/, "commit"],
	[/^merge/, "merge"],
	[/^deploy/, "deploy"],
	[/^release/, "release"],
	[/^migration/, "migrate"],
	[/^publish/, "publish"],
	[/^install/, "install"],
];

/** "The force push was made." */
export function nounClaims(text: string, about: About): DeedClaim[] {
	const found = NOUN.exec(text);
	if (!found || OTHERS.test(text.slice(0, found.index))) return [];
	const verb = found[2]!.toLowerCase();
	const kind = BY_NOUN.find(([pattern]) => pattern.test(found[1]!.toLowerCase()))?.[1];
	if (!kind || (verb === "created" && kind !== "commit") || (kind === "migrate" && verb === "created")) return [];
	return [{ ...about, kind, file: "", isPassive: true, which: "" }];
}
