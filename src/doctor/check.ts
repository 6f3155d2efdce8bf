import type { Seen } from "./seen.ts";

/** One thing looked at. `id` is `group.name`; one id may come several times, as for several launchers. */
export interface DoctorCheck {
	id: string;
	/** `fail`: ccg does not do its work. `warn`: it does, with less than it could. `info`: a fact, nothing to do. */
	status: "ok" | "warn" | "fail" | "info";
	/** What was looked at. */
	title: string;
	/** What was found. */
	detail: string;
	/** What to do about it. */
	fix?: string | undefined;
}

/** What a look finds, and what to do about it; with `id` and `title` where they are others than the look's. */
export type Finding = Omit<DoctorCheck, "id" | "title"> & Partial<DoctorCheck>;

const findingOf =
	(status: DoctorCheck["status"]) =>
	(detail: string, fix?: string): Finding => ({ status, detail, fix });
export const ok = findingOf("ok");
export const info = findingOf("info");
export const warn = findingOf("warn");
export const fail = findingOf("fail");

/** A look at one thing. It runs nothing and changes nothing. */
export type Look = [id: string, title: string, look: (seen: Seen) => Finding | Finding[]];

/** The findings of a look under its id and title. */
export const toChecks = (id: string, title: string, findings: Finding | Finding[]): DoctorCheck[] =>
	[findings].flat().map(({ status, ...finding }) => ({ id, status, title, ...finding }));
