import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { sessionPaths } from "../../../src/store/paths.ts";
import {
	claimMarker,
	clearMarker,
	dropMarker,
	endCycle,
	type FlushMarker,
	markerState,
	nudgedAt,
	removeStaleMarkers,
} from "../../../src/store/pressure/marker.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { startBun } from "../../kit/process.ts";
import { storeAt } from "../../kit/store.ts";
import { scratch } from "../../scratch-home.ts";

const STALE_MS = 30 * 60_000;
const NOW = new Date("2026-03-01T12:00:00Z");
const minutesAgo = (minutes: number): string => new Date(NOW.getTime() - minutes * 60_000).toISOString();
const marker = (at = minutesAgo(0)): FlushMarker => ({ at, tokens: 131_000, distance: 36_000, trigger: 167_000 });
const file = (content: object): string => JSON.stringify({ version: 1, ...content });
const claim = (root: string, sid = "s"): FlushMarker | null =>
	claimMarker(sessionAt(storeAt(root), sid), STALE_MS, NOW);

describe("a cycle", () => {
	test("none, marker, nudged, none; its facts come through", () => {
		const root = scratch();
		expect(markerState(sessionAt(storeAt(root), "s"))).toBe("none");
		expect(dropMarker(sessionAt(storeAt(root), "s"), marker())).toBe(true);
		expect(markerState(sessionAt(storeAt(root), "s"))).toBe("marker");
		expect(nudgedAt(sessionAt(storeAt(root), "s"))).toBeNull();
		expect(claim(root)).toEqual(marker());
		expect(markerState(sessionAt(storeAt(root), "s"))).toBe("nudged");
		expect(nudgedAt(sessionAt(storeAt(root), "s"))).toMatchObject({ tokens: 131_000 });
		endCycle(sessionAt(storeAt(root), "s"));
		expect(markerState(sessionAt(storeAt(root), "s"))).toBe("none");
	});

	test("a second marker is not dropped while one stands, nor after the nudge", () => {
		const root = scratch();
		dropMarker(sessionAt(storeAt(root), "s"), marker());
		expect(dropMarker(sessionAt(storeAt(root), "s"), { ...marker(), tokens: 1 })).toBe(false);
		expect(claim(root)?.tokens).toBe(131_000);
		expect(dropMarker(sessionAt(storeAt(root), "s"), marker())).toBe(false);
		expect(existsSync(sessionPaths(root, "s").marker)).toBe(false);
	});

	test("a marker that came late, written between check and nudge, gives no second nudge", () => {
		const root = scratch();
		dropMarker(sessionAt(storeAt(root), "s"), marker());
		claim(root);
		writeFileSync(sessionPaths(root, "s").marker, file(marker()));
		expect(claim(root)).toBeNull();
		expect(existsSync(sessionPaths(root, "s").marker)).toBe(false);
		expect(markerState(sessionAt(storeAt(root), "s"))).toBe("nudged");
	});

	test("the end of the cycle arms it again; clearing the marker does not", () => {
		const root = scratch();
		dropMarker(sessionAt(storeAt(root), "s"), marker());
		claim(root);
		clearMarker(sessionAt(storeAt(root), "s"));
		expect(dropMarker(sessionAt(storeAt(root), "s"), marker())).toBe(false);
		endCycle(sessionAt(storeAt(root), "s"));
		expect(dropMarker(sessionAt(storeAt(root), "s"), marker())).toBe(true);
		expect(claim(root)).toEqual(marker());
	});

	test("sessions do not touch each other", () => {
		const root = scratch();
		for (const sid of ["a", "b"]) dropMarker(sessionAt(storeAt(root), sid), marker());
		claim(root, "a");
		expect([markerState(sessionAt(storeAt(root), "a")), markerState(sessionAt(storeAt(root), "b"))]).toEqual([
			"nudged",
			"marker",
		]);
	});

	test("nothing to claim: nothing is written", () => {
		const root = scratch();
		expect(claim(root)).toBeNull();
		endCycle(sessionAt(storeAt(root), "s"));
		expect(readdirSync(root)).toEqual([]);
	});
});

describe("markers that do not count are removed", () => {
	const cases: [name: string, content: string, claimed: boolean][] = [
		["30 minutes old", file(marker(minutesAgo(30))), true],
		["31 minutes old", file(marker(minutesAgo(31))), false],
		["with the time alone", JSON.stringify({ version: 1, at: minutesAgo(1) }), false],
		["empty", "", false],
		["truncated", file(marker()).slice(0, -5), false],
		["an array", "[]", false],
		["without time", '{"version":1}', false],
		["with a foreign time", file(marker("soon")), false],
		["binary", "\0\xff", false],
	];
	test.each(cases)("%s", (_, content, claimed) => {
		const root = scratch();
		const path = sessionPaths(root, "s").marker;
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, content);
		expect(claim(root) !== null).toBe(claimed);
		expect(existsSync(path)).toBe(false);
		if (!claimed) expect(dropMarker(sessionAt(storeAt(root), "s"), marker())).toBe(true);
	});
});

/** Claims every session's marker, in order, as soon as `go` stands; prints the ones it got. */
const CLAIMER = `
import { existsSync } from "node:fs";
import { claimMarker } from ${JSON.stringify(resolve(import.meta.dirname, "../../../src/store/pressure/marker.ts"))};
import { sessionAt } from ${JSON.stringify(resolve(import.meta.dirname, "../../../src/store/session-handle.ts"))};
const [root, go, count] = process.argv.slice(2);
console.log("ready");
while (!existsSync(go)) Bun.sleepSync(1);
const won = [];
for (let i = 0; i < Number(count); i++)
	if (claimMarker(sessionAt({ root: root, tell() {} }, "s-" + i), ${STALE_MS}, new Date(${NOW.getTime()}))) won.push(i);
console.log("won " + won.join(","));
`;

/** Winners per session of `processes` that claim `sessions` markers at once. */
async function race(processes: number, sessions: number): Promise<number[]> {
	const folder = scratch("race");
	const root = join(folder, "store");
	const script = join(folder, "claimer.ts");
	const go = join(folder, "go");
	writeFileSync(script, CLAIMER);
	for (let i = 0; i < sessions; i++) dropMarker(sessionAt(storeAt(root), `s-${i}`), marker());
	let ready = 0;
	const runs = Array.from({ length: processes }, async () => {
		const child = startBun([script, root, go, String(sessions)]);
		let begun = "";
		child.stdout.on("data", (part) => {
			begun += part;
			if (begun === "ready\n" && ++ready === processes) writeFileSync(go, "");
		});
		const { exitCode, stdout } = await child;
		expect(exitCode).toBe(0);
		return stdout;
	});
	const wins = new Array<number>(sessions).fill(0);
	for (const out of await Promise.all(runs))
		for (const i of /won ([\d,]+)/.exec(out)?.[1]?.split(",") ?? []) wins[Number(i)]!++;
	for (let i = 0; i < sessions; i++) {
		expect(markerState(sessionAt(storeAt(root), `s-${i}`))).toBe("nudged");
		expect(readdirSync(sessionPaths(root, `s-${i}`).folder)).toEqual(["nudged.json"]);
	}
	return wins;
}

describe("claims at once", () => {
	test("of 64 processes one gets the marker", async () => expect(await race(64, 1)).toEqual([1]));
	test("4 processes, 300 markers: each is claimed once", async () =>
		expect(new Set(await race(4, 300))).toEqual(new Set([1])));
});

test("a crashed session's stale marker goes, a fresh one stays", () => {
	const root = scratch();
	dropMarker(sessionAt(storeAt(root), "crashed"), marker());
	dropMarker(sessionAt(storeAt(root), "alive"), marker());
	const old = new Date(NOW.getTime() - STALE_MS - 60_000);
	utimesSync(sessionPaths(root, "crashed").marker, old, old);
	utimesSync(sessionPaths(root, "alive").marker, NOW, NOW);
	removeStaleMarkers(root, STALE_MS, NOW);
	expect([markerState(sessionAt(storeAt(root), "crashed")), markerState(sessionAt(storeAt(root), "alive"))]).toEqual([
		"none",
		"marker",
	]);
	removeStaleMarkers(scratch(), STALE_MS, NOW);
});
