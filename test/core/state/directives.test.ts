import { expect, test } from "vitest";
import { directivesOf } from "../../../src/core/state/directives.ts";
import { sentencesOf } from "../../../src/core/state/sentences.ts";

test.each([
	// English, with and without a word of rules
	"Never push to main.",
	"pnpm, not npm!",
	"prod is off limits",
	"The prod database is off.",
	"No emojis.",
	"Tabs over spaces.",
	"Use 4 spaces, e.g. in Python, and never tabs.",
	"Don't touch the migrations",
	"Answer in English.",
	"Keep functions below 40 lines.",
	"From now on write tests first.",
	"I want every commit signed.",
	"Hands off config/prod.yaml",
	"Leave the legacy folder alone.",
	"Could you please never use any?",
	"without asking me, nothing gets deployed",
	// German
	"Bitte niemals auf main pushen.",
	"Verwende pnpm statt npm.",
	"Keine neuen Abhängigkeiten!",
	"Ändere die Schnittstelle nicht.",
	"Ab jetzt immer auf Deutsch antworten.",
	"Die Produktion ist tabu.",
	// French
	"Ne touche pas à la base de données.",
	"N'utilise jamais npm.",
	"Il faut toujours lancer les tests avant de committer.",
	"Utilise uniquement pnpm.",
	// Spanish, Portuguese, Italian
	"No uses npm, usa pnpm.",
	"Nunca hagas push a main.",
	"Siempre escribe las pruebas primero.",
	"Não use npm.",
	"Sempre rode os testes antes do commit.",
	"Nunca faça push direto na main.",
	"Usa solo pnpm, mai npm.",
	// Dutch, Polish, Turkish
	"Gebruik nooit npm.",
	"Zawsze uruchamiaj testy.",
	"Asla main dalına push yapma.",
	// Russian
	"Никогда не пушь в main.",
	"Не трогай базу данных.",
	"Используй только pnpm.",
	"Всегда запускай тесты перед коммитом.",
	// Chinese, Japanese, Korean
	"不要推送到 main 分支。",
	"请用 pnpm，不要用 npm。",
	"必须先写测试。",
	"永遠不要直接改資料庫",
	"main には絶対に push しないでください。",
	"必ずテストを先に書いてください。",
	"npm ではなく pnpm を使って。",
	"main 브랜치에 절대 푸시하지 마세요.",
	"항상 테스트를 먼저 작성해 주세요.",
	"npm 말고 pnpm을 사용하세요.",
	// Arabic, Hebrew, Hindi
	"لا تدفع إلى الفرع الرئيسي أبدًا.",
	"يجب كتابة الاختبارات أولاً.",
	"استخدم pnpm فقط.",
	"אל תדחוף ל-main לעולם.",
	"हमेशा पहले टेस्ट लिखो।",
])("a rule: %s", (text) => {
	expect(directivesOf(text)).toEqual([text]);
});

test.each([
	"You need to move up a directory",
	"Great job! Please keep going",
	"keep going",
	"I don't know why that fails.",
	"Don't worry about it.",
	"Why do you always fail here?",
	"| name | must | never |",
	"That should work now.",
	"Looks good.",
	"What does this do?",
	"it still fails with the same error",
	"The test failed again, same place.",
	"const only = never;",
	"2026-01-02T03:04:05 ERROR must not be null",
	"```\nnever touch this\n```",
	"Das sieht gut aus.",
	"Danke, weiter so!",
	"Merci, c'est parfait.",
	"Gracias, sigue así.",
	"Спасибо, отлично.",
	"谢谢，继续。",
	"ありがとうございます。",
	"감사합니다.",
	"شكرا جزيلا",
])("a remark: %s", (text) => {
	expect(directivesOf(text)).toEqual([]);
});

test.each<[string, string[]]>([
	["Use tools, e.g. eslint. Then run.", ["Use tools, e.g. eslint.", "Then run."]],
	["It is so, i.e. always. Go.", ["It is so, i.e. always.", "Go."]],
	["Compare v. 2 and v. 3. Done.", ["Compare v. 2 and v. 3.", "Done."]],
	["1. Never push.\n 2. Always test.", ["1. Never push.", "2. Always test."]],
	["Nimm z.B. pnpm. Danke.", ["Nimm z.B. pnpm.", "Danke."]],
	["Logs, caches, etc. are out. Really.", ["Logs, caches, etc. are out.", "Really."]],
	["Remove logs, etc. Then stop.", ["Remove logs, etc.", "Then stop."]],
	["one line\nwrapped. Two", ["one line\nwrapped.", "Two"]],
	["one\n\ntwo", ["one", "two"]],
	["不要推送。必须测试！好", ["不要推送。", "必须测试！", "好"]],
	['He said "stop." Then more', ['He said "stop."', "Then more"]],
	["see src/a.ts and b.c now. ok", ["see src/a.ts and b.c now.", "ok"]],
	["  ", []],
])("sentences of %j", (text, sentences) => {
	expect(sentencesOf(text)).toEqual(sentences);
});

test.each([
	["Never touch main.", ["Never touch main."]],
	["Do it. Don't use floats! What is it? Keep going.", ["Don't use floats!"]],
	["dont push yet", ["dont push yet"]],
	["Use pnpm instead of npm", ["Use pnpm instead of npm"]],
	["The build is green.", []],
	["no", []],
])("directives of %j", (text, found) => {
	expect(directivesOf(text)).toEqual(found);
});
