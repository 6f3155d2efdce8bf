import type { DoctorFacts } from "./seen.ts";

/** The result of one check. `id` is `group.name`; one id may come several times, as for several launchers. */
export interface DoctorCheck {
	id: string;
	/** `fail`: ccg does not do its work. `warn`: it does, with less than it could. `info`: a fact, nothing to do. */
	status: "ok" | "warn" | "fail" | "info";
	title: string;
	detail: string;
	fix?: string | undefined;
}

/** What a check finds, and what to do about it; with `id` and `title` where they differ from those of the check. */
export type Finding = Omit<DoctorCheck, "id" | "title"> & Partial<DoctorCheck>;

/** Makes the function that makes a finding of this status. */
const findingMaker =
	(status: DoctorCheck["status"]) =>
	(detail: string, fix?: string): Finding => ({ status, detail, fix });
export const ok = findingMaker("ok");
export const info = findingMaker("info");
export const warn = findingMaker("warn");
export const fail = findingMaker("fail");

/** A check with the id and title of its results. It runs no other program. */
export type CheckEntry = [id: string, title: string, check: (facts: DoctorFacts) => Finding | Finding[]];

/** Gives the findings of a check its id and title, where they have none of their own. */
export const toChecks = (id: string, title: string, findings: Finding | Finding[]): DoctorCheck[] =>
	[findings].flat().map(({ status, ...finding }) => ({ id, status, title, ...finding }));
