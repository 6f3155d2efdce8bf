/** Counts, for each place, the secrets of the corpus that a session keeps or prints as they were. */
import { contextCases } from "../../test/security/redaction-corpus/contexts.ts";
import { leaksIn, PLACES } from "../../test/security/redaction-corpus/places.ts";
import { tokenCases } from "../../test/security/redaction-corpus/tokens.ts";

const seed = Number(process.argv[2] ?? 7);
const SIZE = 40;

for (const place of PLACES) {
	const all =
		place === "file name"
			? tokenCases(seed).filter(({ kind }) => !/base64|query/.test(kind))
			: [...tokenCases(seed), ...contextCases(seed)];
	const cases = place === "note" ? all.filter((_, i) => i % 5 === 0) : all;
	let left = 0;
	for (let i = 0; i < cases.length; i += SIZE) left += (await leaksIn(place, cases.slice(i, i + SIZE))).length;
	console.log(
		`${place.padEnd(16)} ${String(left).padStart(4)} of ${cases.length}  (${((100 * left) / cases.length).toFixed(1)} %)`,
	);
}
