import { expect, test } from "vitest";
import { localTime } from "../../src/store/local-time.ts";
import { printedBy } from "../kit/process.ts";

const MODULE = new URL("../../src/store/local-time.ts", import.meta.url).pathname;

test.each(["UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kolkata", "Pacific/Auckland"])(
	"local time in %s is what the clock there says",
	(zone) => {
		const moments = [
			"2026-11-21T02:03:04.567Z",
			"2026-07-01T23:59:59.999Z",
			"2026-03-29T01:00:00Z",
			"1999-12-31T23:30:00Z",
		];
		const code = `import { localTime } from ${JSON.stringify(MODULE)}; console.log(JSON.stringify(${JSON.stringify(moments)}.map((m) => localTime(new Date(m)))))`;
		const env = { PATH: process.env.PATH, HOME: process.env.HOME, TZ: zone };
		const told = JSON.parse(printedBy([process.execPath, "-e", code], { env }));
		const expected = moments.map((moment) => {
			const parts = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" }).format(
				new Date(moment),
			);
			const [day, time] = parts.split(" ");
			return { day, time };
		});
		expect(told).toEqual(expected);
	},
);

test("the process's own zone", () => {
	expect(localTime(new Date("2026-11-21T02:03:04Z")).day).toMatch(/^2026-11-2[01]$/);
});
