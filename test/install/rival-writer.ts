/**
 * Writes a settings file the way Claude Code does: reads it, changes its own key, truncates and writes in place, without
 * a lock. Each round leaves one more key. Ends when the file named by the second argument exists, or after three minutes, and
 * prints how many keys it wrote.
 */
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";

const [path, stop, everyMs] = process.argv.slice(2) as [string, string, string];
let count = 0;
console.log("ready");
const end = Date.now() + 180_000;
while (!existsSync(stop) && Date.now() < end) {
	let settings: { rival?: Record<string, number> };
	try {
		settings = JSON.parse(readFileSync(path, "utf8"));
	} catch {
		continue;
	}
	settings.rival = { ...settings.rival, [`key${++count}`]: count };
	const fd = openSync(path, "w");
	if (count % 3 === 0) await Bun.sleep(1);
	writeFileSync(fd, JSON.stringify(settings, null, 2));
	closeSync(fd);
	await Bun.sleep(Number(everyMs) * (0.5 + Math.random()));
}
console.log(String(count));
