/** The page of a session in Debian's Chromium: with a keyboard, without script, narrow and wide, dark and light. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, type BrowserContextOptions, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { syntheticTranscript } from "../../bench/latency/transcripts.ts";
import { pageInput, sessionPage } from "../../src/page/page.ts";
import { sessionHandle } from "../../src/store/session-handle.ts";
import { Transcript } from "../kit/events.ts";
import { ccg, REPO, sandbox } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import { scratch } from "../scratch-home.ts";

const PROGRAM = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(existsSync);
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const home = scratch("browser");
let browser: Browser;
beforeAll(async () => {
	if (!PROGRAM && process.env.CCG_E2E_REQUIRED) throw new Error("Chromium is not installed: apt-get install chromium");
	if (!PROGRAM) return;
	const env = { HOME: home, PATH: "/usr/bin:/bin" };
	browser = await chromium.launch({ executablePath: PROGRAM, args: ["--no-sandbox", "--disable-gpu"], env });
});
afterAll(() => browser?.close());

/** A session whose summary holds a message, in three languages, one of them from right to left. */
const session = (): Transcript =>
	new Transcript("/srv/shop")
		.typed("Build the cart.")
		.typed("لا تلمس المجلد القديم أبدًا")
		.typed("カートは整数で計算してください。")
		.call("Bash", { command: "npm test -- cart" }, "41 passed in 2310 ms")
		.call("Bash", { command: "npm run build" }, "no such script", { failed: true })
		.said("The cart is built.")
		.usage(150_000)
		.boundary()
		.summary("The user said: Build the cart.")
		.usage(30_000);

function pageFile(text: string | Buffer, name: string): string {
	const transcript = join(home, `${name}.jsonl`);
	writeFileSync(transcript, text);
	const input = pageInput(sessionHandle(storeAt("/nowhere"), "s"), { transcript, folder: "/srv/shop", key: undefined });
	const path = join(home, `${name}.html`);
	writeFileSync(path, sessionPage(input));
	return path;
}

/** Opens a page; gives it with all that it asked for. */
async function opened(path: string, options: BrowserContextOptions = {}) {
	const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
	const page = await context.newPage();
	const asked: string[] = [];
	page.on("request", (request) => void asked.push(request.url()));
	const problems: string[] = [];
	page.on("console", (message) => void problems.push(message.text()));
	await page.goto(pathToFileURL(path).href);
	return { page, asked, problems, close: () => context.close() };
}

test.skipIf(!PROGRAM)("axe finds nothing, dark and light, narrow and wide, and no line is cut off", async () => {
	const path = pageFile(session().text(), "axe");
	for (const colorScheme of ["light", "dark"] as const)
		for (const width of [360, 1200]) {
			const { page, asked, problems, close } = await opened(path, { colorScheme, viewport: { width, height: 800 } });
			for (const details of await page.locator("details > summary").all()) await details.click();
			await page.evaluate(AXE);
			const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
			const run = `axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes[0].html))`;
			expect([colorScheme, width, await page.evaluate(run)]).toEqual([colorScheme, width, []]);
			expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
			expect([asked, problems]).toEqual([[pathToFileURL(path).href], []]);
			await close();
		}
});

test.skipIf(!PROGRAM)(
	"without script: a key opens what is folded, and lights up what a message shares with the summary",
	async () => {
		const { page, close } = await opened(pageFile(session().text(), "keys"), { javaScriptEnabled: false });
		const colour = () => page.evaluate("getComputedStyle(document.querySelector('mark.c1m0')).backgroundColor");
		const before = await colour();
		await page.locator("#c1m0").focus();
		expect(await colour()).not.toBe(before);
		const commands = page.locator("details", { hasText: "commands: the summary holds 0 of 1" });
		const command = commands.locator("code");
		expect(await command.isVisible()).toBe(false);
		await commands.locator("summary").focus();
		await page.keyboard.press("Enter");
		expect(await command.isVisible()).toBe(true);
		expect(await page.evaluate("getComputedStyle(document.querySelector('#c1m1 .said')).direction")).toBe("rtl");
		await page.emulateMedia({ media: "print" });
		expect(await page.locator("details", { hasText: "failures" }).locator("code").isVisible()).toBe(true);
		await close();
	},
);

test.skipIf(!PROGRAM || Boolean(process.env.CCG_TEST_SHORT))("a session of 250 MB is a page of 300 KB", async () => {
	const path = pageFile(syntheticTranscript(250 * 1024 * 1024, "/srv/shop"), "large");
	expect(readFileSync(path).length).toBeLessThanOrEqual(300_000);
	const { page, close } = await opened(path);
	expect(await page.locator("main section").count()).toBeGreaterThan(1);
	await close();
});

test.skipIf(!PROGRAM)("the demo ends in a page: the README's pictures are of it", async () => {
	const { page: made } = JSON.parse((await ccg(sandbox("demo"), ["demo", "--json"])).out);
	const folder = process.env.CCG_TEST_WRITE ? join(REPO, "docs", "pictures") : join(home, "pictures");
	mkdirSync(folder, { recursive: true });
	const looks = { "page.png": { width: 1100, height: 860 }, "page-narrow.png": { width: 390, height: 860 } };
	for (const [name, viewport] of Object.entries(looks)) {
		const { page, close } = await opened(made, { viewport, colorScheme: viewport.width < 600 ? "dark" : "light" });
		expect(await page.locator("h1").textContent()).toBe("Compactions of ledger");
		await page.screenshot({ path: join(folder, name) });
		await close();
	}
	for (const name of Object.keys(looks)) expect(existsSync(join(REPO, "docs", "pictures", name))).toBe(true);
});
