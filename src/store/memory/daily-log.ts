import { linkSync, lstatSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { redactSecrets } from "../../core/redact/secrets.ts";
import { makeFolder, quietly } from "../atomic-write.ts";
import { appendText, writeText } from "../gate.ts";
import { localTime } from "../local-time.ts";
import { projectFolder } from "../project.ts";
import { refusePathLinks } from "../refuse-links.ts";
import { cleanText, OWN_HEADING } from "./notes.ts";

/**
 * Appends one line, `- HH:MM line`, to the daily log of the project of `cwd` and gives the log's path. Line breaks become
 * spaces and secrets are redacted; an empty line does nothing. No lock: hooks use it. Throws what the file system says.
 */
export function appendLog(root: string, cwd: string, line: string, now: Date): string {
	const path = dailyLogPath(projectFolder(root, cwd), now);
	const text = redactSecrets(cleanText(line)).replace(/\s+/g, " ").trim();
	if (!text) return path;
	refusePathLinks(root, dirname(path));
	appendToLog(path, `- ${timeOf(now)} ${text}\n`, now);
	return path;
}

export function dailyLogPath(folder: string, now: Date): string {
	return join(folder, "log", `${dayOf(now)}.md`);
}

/** `YYYY-MM-DD`, local. */
export const dayOf = (now: Date): string => localTime(now).day;

/** `HH:MM`, local. */
export const timeOf = (now: Date): string => localTime(now).time;

/**
 * Adds whole lines to a daily log with `O_APPEND`, so that writers without the lock lose nothing. Starts on a new line
 * where the last one was cut short or written without its end.
 */
export function appendToLog(path: string, lines: string, now: Date, { durable = false } = {}): void {
	createWithHeading(path, `${OWN_HEADING}log of ${dayOf(now)}, yours to read and edit\n\n`);
	appendText(path, lines, { durable });
}

/** Published by link: nobody sees the file without its heading, and a second creator loses nothing of the first. */
function createWithHeading(path: string, heading: string): void {
	if (lstatSync(path, { throwIfNoEntry: false })) return;
	makeFolder(dirname(path));
	const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}.new`;
	writeText(draft, heading);
	quietly(() => linkSync(draft, path));
	unlinkSync(draft);
}
