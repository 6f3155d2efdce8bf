import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isStaleTempFile } from "../../src/store/stale-temp-files.ts";
import { type FaultFixture, makeFixture, snapshot } from "./fixture.ts";
import { INDEX_FILE, indexFault } from "./index-fault.ts";
import { type Fault, type Point, pointsOf, runCommand, type TracedRun, withFault } from "./strace.ts";
import type { WritePath } from "./write-paths.ts";

/** What enumerating one path with one fault gave. */
export interface Tally {
	path: string;
	fault: Fault;
	points: number;
	fired: number;
	/** A file that reads as neither its old nor its new self. */
	torn: string[];
	/** Promised and not there, or not right after the next run. */
	lost: string[];
	/** A hook that did not end 0, a command that ended 0 without its work. */
	rude: string[];
}

export interface Choice {
	faults: Fault[];
	/** Every how many points one is struck. */
	every?: number;
	/** Where the first is, so that several choices cover different ones. */
	offset?: number;
	onPoint?(done: number, of: number): void;
}

/** Strikes a path at its calls, one at a time, each from the same state before. */
export async function enumerate(path: WritePath, top: string, choice: Choice): Promise<Tally[]> {
	const fixture = makeFixture(top);
	await path.prepare(fixture);
	// keys hold the second: those of the struck run are not those of the runs before
	await Bun.sleep(1_100);
	const start = snapshot(fixture);
	const before = filesOf(fixture);
	const trace = `${top}.trace`;
	const { points: all, ran } = await pointsOf(path.command(fixture), fixture.watched, trace);
	if (ran.code !== 0 || ran.err) throw new Error(`${path.name} fails without a fault: ${ran.code} ${ran.err}`);
	const promised = path.promised(fixture, ran);
	if (promised) throw new Error(`${path.name} does not keep its promise without a fault: ${promised}`);
	const after = filesOf(fixture);
	const { faults, every = 1, offset = 0 } = choice;
	const points = all.filter((_, i) => i % every === offset % every);
	const tallies: Tally[] = [];
	for (const fault of faults) {
		const tally: Tally = { path: path.name, fault, points: points.length, fired: 0, torn: [], lost: [], rude: [] };
		for (const [i, point] of points.entries()) {
			choice.onPoint?.(i, points.length);
			await strike(path, fixture, { point, fault, before, after, trace, restore: start.restore }, tally);
		}
		tallies.push(tally);
	}
	return tallies;
}

/** Several files may differ in their time alone: their contents by the name without it. */
type Files = Map<string, string[]>;

async function strike(
	path: WritePath,
	fixture: FaultFixture,
	{
		point,
		fault,
		before,
		after,
		trace,
		restore,
	}: { point: Point; fault: Fault; before: Files; after: Files; trace: string; restore(): void },
	tally: Tally,
): Promise<void> {
	const at = `${fault} at ${point.line.slice(0, 160)}`;
	let struck: { ran: TracedRun; fired: boolean } | undefined;
	// Bun opens a file more or less at its start now and then
	for (const shift of [0, 0, 1, -1, 0, 2]) {
		if (struck?.fired) break;
		restore();
		const at = { ...point, n: Math.max(1, point.n + shift) };
		struck = await withFault(path.command(fixture), at, fault, fixture.watched, trace);
	}
	const { ran, fired } = struck!;
	if (!fired) return;
	tally.fired++;
	const routes = [
		path.readings,
		fault !== "KILL" && path.otherRoute?.struck.test(point.line) ? path.otherRoute.files : undefined,
	].filter((one) => one !== undefined);
	const other = { test: (name: string): boolean => routes.some((one) => one.test(name)) };
	const tearings = (files: string[]): string[] => [...files, ...[indexFault(fixture.store) ?? []].flat()];
	for (const fault of tearings(tornFiles(filesOf(fixture), before, after, other))) tally.torn.push(`${at}: ${fault}`);
	const promised = path.promised(fixture, ran);
	if (promised) tally.lost.push(`${at}: ${promised}`);
	if (fault !== "KILL" && isHook(path, fixture) && ran.code !== 0)
		tally.rude.push(`${at}: ended ${ran.code} ${ran.err}`);
	const held = path.before?.(fixture);
	const next: TracedRun[] = [];
	for (const command of path.next?.(fixture) ?? [path.command(fixture)]) next.push(await runCommand(command));
	const wrong = path.result(fixture, next, ran, held);
	if (wrong) tally.lost.push(`${at}: after the next run: ${wrong}`);
	for (const fault of tearings(tornFiles(filesOf(fixture), null, null)))
		tally.torn.push(`${at}: after the next run: ${fault}`);
}

const isHook = (path: WritePath, fixture: FaultFixture): boolean =>
	path.command(fixture).argv.some((arg) => arg.includes("/hooks/"));

/** Every file of the store and the settings, by a name and with a content in which the moment and the process do not show. */
function filesOf({ store, home, project }: FaultFixture): Files {
	const files: Files = new Map();
	const walk = (folder: string): void => {
		for (const entry of readdirSync(folder, { withFileTypes: true })) {
			const path = join(folder, entry.name);
			if (INDEX_FILE.test(path)) continue;
			if (isStaleTempFile(entry.name) || /\.ccg-\d+$/.test(entry.name) || entry.name.endsWith(".lock")) continue;
			if (entry.isDirectory()) walk(path);
			else {
				const name = timeless(path);
				files.set(name, [...(files.get(name) ?? []), timeless(readFileSync(path, "utf8"))]);
			}
		}
	};
	for (const folder of [store, join(home, ".claude"), project])
		if (lstatSync(folder, { throwIfNoEntry: false })) walk(folder);
	return files;
}

const timeless = (text: string): string =>
	text
		.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "TIME")
		.replace(/[a-z]+_checkpoint_\d{8}_\d{6}(?:_\d+)?/g, "KEY")
		// of what holds a time, or how busy the machine is
		.replace(/"bytes":\d+/g, '"bytes":0')
		.replace(/"sha256":"[0-9a-f]{64}"/g, '"sha256":"SEAL"')
		.replace(/task-\d{8}-\d{6}-\w+/g, "TASK")
		.replace(/summary-\d{8}-\d{6}-/g, "summary-")
		// a task's first state says that it is not begun until its summary stands
		.replace('"status":"initialising"', '"status":"active"')
		.replace(/\d+ processes/g, "N processes")
		.replace(/Memory [\d.]+\/[\d.]+ GB used(?:, disk \d+% used)?(?:, load [\d.]+)?(?:, up [\dhdm ]+)?/g, "Memory")
		.replace(/^- \d\d:\d\d /gm, "- HH:MM ")
		// the minute of the last save, alone in its file
		.replace(/^[\d-]{0,11} ?\d\d:\d\d\n$/, "HH:MM\n");

/** Written where something failed, so neither old nor new. */
const OF_FAILURES = /ccg\.log$|last-failure\.json$/;
const APPENDED = /\.(?:jsonl|log)$|\/log\/[\d-]+\.md$/;

function tornFiles(
	now: Files,
	before: Files | null,
	after: Files | null,
	other?: { test(name: string): boolean },
): string[] {
	const faults: string[] = [];
	for (const [path, text] of [...now].flatMap(([path, texts]) => texts.map((text) => [path, text] as const))) {
		if (path.includes(".damaged-")) faults.push(`${path} was found damaged`);
		else if (path.endsWith(".json") && !isObject(text)) faults.push(`${path} is torn: ${text.slice(0, 60)}`);
		else if (
			path.endsWith(".jsonl") &&
			!text.split("\n").every((line, i, all) => (i === all.length - 1 ? line === "" : isObject(line)))
		)
			faults.push(`${path} has a torn line`);
		else if (APPENDED.test(path) && text !== "" && !text.endsWith("\n")) faults.push(`${path} ends in half a line`);
		else if (before && after && !OF_FAILURES.test(path) && !other?.test(path)) {
			const [old, fresh] = [before.get(path) ?? [], after.get(path) ?? []];
			const whole =
				[...old, ...fresh].includes(text) || (APPENDED.test(path) && fresh.some((one) => one.startsWith(text)));
			if (!whole) faults.push(`${path} is neither old nor new: ${difference(text, fresh.at(-1) ?? old.at(-1) ?? "")}`);
		}
	}
	if (before)
		for (const path of before.keys())
			if (!now.has(path) && after?.has(path) && !other?.test(path)) faults.push(`${path} is gone`);
	return faults;
}

function difference(text: string, other: string): string {
	let at = 0;
	while (at < text.length && text[at] === other[at]) at++;
	return `${JSON.stringify(text.slice(at, at + 80))} where ${JSON.stringify(other.slice(at, at + 80))} was`;
}

function isObject(text: string): boolean {
	try {
		const value: unknown = JSON.parse(text);
		return value !== null && typeof value === "object";
	} catch {
		return false;
	}
}
