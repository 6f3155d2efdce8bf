import { describe, expect, test } from "vitest";
import { CASES } from "./finding-cases.ts";
import { checksOf, listing, makeFixture, settings } from "./fixture.ts";
import { RUNS } from "./runs.ts";

describe.concurrent("finds", () => {
	test.each(Object.entries(CASES))("%s", async (_, { change, id, status, detail, ok, runs = RUNS.length }) => {
		const fixture = makeFixture();
		await fixture.install();
		await change(fixture);
		const before = listing(fixture.root);
		const report = await fixture.doctor();
		const found = checksOf(report, id).find((check) => detail.test(check.detail ?? ""));
		expect(found ?? report.checks).toMatchObject({ status });
		expect([report.ok, report.commands.length]).toEqual([ok, runs]);
		expect(listing(fixture.root)).toEqual(before);
	});

	test.each([
		["allowManagedHooksOnly outside managed settings", { allowManagedHooksOnly: true }],
		["strictPluginOnlyCustomization without hooks", { strictPluginOnlyCustomization: ["skills"] }],
	])("nothing in %s", async (_, value) => {
		const fixture = makeFixture();
		await fixture.install();
		settings(fixture.user, (all) => Object.assign(all, value));
		expect((await fixture.doctor()).ok).toBe(true);
	});

	test("one installation where the project is the home folder", async () => {
		const fixture = makeFixture();
		await fixture.install();
		const report = await fixture.doctor({ cwd: fixture.home });
		expect(checksOf(report, "blockers.second")).toMatchObject([{ status: "ok" }]);
	});

	test("no place for a store", async () => {
		const fixture = makeFixture();
		const report = await fixture.doctor({ env: { PATH: process.env.PATH } });
		expect(checksOf(report, "store.root")).toMatchObject([{ status: "fail" }]);
	});
});
