import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runNow } from "../../test/kit/process.ts";
import type { Redactor } from "../redaction.ts";

/** What gitleaks' own rules find, taken out of each text. One folder, one run: a file for each text. */
export function gitleaks(binary: string): Redactor {
	return async (texts) => {
		const folder = mkdtempSync(join(tmpdir(), "ccg-bench-"));
		try {
			for (const [i, text] of texts.entries()) writeFileSync(join(folder, `${i}.txt`), text);
			const report = join(folder, "report.json");
			runNow([binary, "dir", folder, "--report-path", report, "--report-format", "json", "--exit-code", "0"]);
			const found = JSON.parse(readFileSync(report, "utf8")) as { File: string; Secret: string }[];
			const clean = [...texts];
			for (const { File, Secret } of found) {
				const n = Number(/(\d+)\.txt$/.exec(File)?.[1] ?? -1);
				if (clean[n] !== undefined) clean[n] = clean[n].replaceAll(Secret, "[found]");
			}
			return clean;
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	};
}

interface Message {
	range: [start: number, end: number];
}
type LintSource = (request: object) => Promise<{ messages: Message[] }>;

/** What secretlint's recommended preset finds, taken out of each text. */
export async function secretlint(folder: string): Promise<Redactor> {
	const module = (name: string): Promise<{ lintSource: LintSource; creator: object }> =>
		import(join(folder, "node_modules/@secretlint", name, "module/index.js"));
	const { lintSource } = await module("core");
	const { creator } = await module("secretlint-rule-preset-recommend");
	const options = {
		config: { rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator, options: {} }] },
	};
	return (texts) =>
		Promise.all(
			texts.map(async (text, i) => {
				const source = { filePath: `/x/${i}.txt`, content: text, contentType: "text", ext: ".txt" };
				const { messages } = await lintSource({ source, options });
				let clean = text;
				for (const { range } of messages.sort((a, b) => b.range[0] - a.range[0]))
					clean = `${clean.slice(0, range[0])}[found]${clean.slice(range[1])}`;
				return clean;
			}),
		);
}
