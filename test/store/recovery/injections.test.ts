import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { sessionPaths } from "../../../src/store/paths.ts";
import { claimInjection, injectedAt } from "../../../src/store/recovery/injections.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { storeAt } from "../../kit/store.ts";
import { scratch } from "../../scratch-home.ts";

const KEY = "precompact_checkpoint_20260301_123045";

test("given once per checkpoint and kind of start", () => {
	const root = scratch();
	const claims = [
		[KEY, "compact"],
		[KEY, "compact"],
		[KEY, "resume"],
		[`${KEY}_2`, "compact"],
		[KEY, "resume"],
	].map(([key, source]) => claimInjection(sessionAt(storeAt(root), "s"), key!, source!, { now: new Date() }));
	expect(claims).toEqual([true, false, true, true, false]);
	expect(existsSync(sessionPaths(root, "other").folder)).toBe(false);
});

test("injected again that much later, with few files left", () => {
	const root = scratch();
	const start = Date.parse("2026-03-01T12:30:45.000Z");
	const times = [0, 500, 1_000, 1_900, 2_000, 4_000, 6_000];
	const claims = times.map((ms) =>
		claimInjection(sessionAt(storeAt(root), "s"), KEY, "resume", { now: new Date(start + ms), againAfterMs: 1_000 }),
	);
	expect(claims).toEqual([true, false, true, false, true, true, true]);
	expect(injectedAt(sessionAt(storeAt(root), "s"), KEY, "resume")).toBe(start + 6_000);
	expect(injectedAt(sessionAt(storeAt(root), "s"), `${KEY}_2`, "resume")).toBeNull();
	expect(readdirSync(sessionPaths(root, "s").injected).length).toBeLessThanOrEqual(2);
});
