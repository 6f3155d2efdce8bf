import type { DeedKind } from "../../state/deed-kinds.ts";
import type { About, DeedClaim } from "./deed-claim.ts";

/** The plain forms of German, French, Spanish and Chinese; where one is not plain, nothing is said. */
const LANGUAGES: { unsure: RegExp; forms: [DeedKind, RegExp][] }[] = [
	{
		unsure:
			/\b(?:nicht|noch|kein\w*|nie|muss|müssen|soll\w*|wird|werden|wenn|falls|sobald|kann|können|könnte\w*|würde\w*|möchte\w*|bevor|bereits|schon|vorher|geplant|als nächstes|damit|ob|Nutzer\w*|Benutzer\w*|User|Agent\w*|Kolleg\w*|CI)\b|\?/i,
		forms: [
			[
				"test",
				/\b(?:alle )?Tests (?:sind |laufen |wurden )?(?:jetzt |nun |alle )?(?:bestehen|bestanden|grün|durch|laufen durch)\b/i,
			],
			["push", /(?:\b(?:wurden?|habe ich|alles|und) (?:[\wäöüß/-]+ ){0,4}|^(?:[-*•] )?)gepusht\b/i],
			[
				"commit",
				/(?:\b(?:wurden?|habe ich|alles|und) (?:[\wäöüß/-]+ ){0,4}|^(?:[-*•] )?)(?:committet|commitet|eingecheckt)\b/i,
			],
			["merge", /\b(?:wurden?|habe ich) (?:[\wäöüß/-]+ ){0,4}(?:gemergt|gemerged|zusammengeführt)\b/i],
			["deploy", /\b(?:wurden?|habe ich) (?:[\wäöüß/-]+ ){0,4}(?:deployt|deployed|ausgerollt)\b/i],
		],
	},
	{
		unsure:
			/(?:^|[\s'’])(?:ne|n|pas|jamais|sera|seront|doit|doivent|faut|si|quand|lorsque|avant|déjà|reste|afin|pour que|peut|utilisateur\w*|agent\w*|collègue\w*|CI)(?=[\s'’,.]|$)|\?/i,
		forms: [
			["test", /\btous les tests (?:passent|sont passés|réussissent)/i],
			["push", /(?:\b(?:a été|ont été|j'ai) |^(?:[-*•] )?)(?:poussée?s?|pushée?s?)(?=[\s.,]|$)/i],
			["commit", /(?:\b(?:a été|ont été|j'ai) |^(?:[-*•] )?)(?:committée?s?|commitée?s?)(?=[\s.,]|$)/i],
			["deploy", /\b(?:a été|ont été|j'ai) (?:déployée?s?)(?=[\s.,]|$)/i],
		],
	},
	{
		unsure:
			/(?:^|\s)(?:no|nunca|será|serán|debe|deben|hay que|si|cuando|antes|ya|falta|faltan|para que|puede|usuario\w*|agente\w*|compañer\w*|CI)(?=[\s,.]|$)|\?/i,
		forms: [
			["test", /\btod[ao]s (?:las pruebas|los tests) (?:pasan|pasaron|han pasado)\b/i],
			["push", /\b(?:se hizo|se ha hecho|hice) (?:un |el )?push\b/i],
			["commit", /\b(?:se hizo|se ha hecho|hice) (?:un |el )?commit\b/i],
			["deploy", /\b(?:se desplegó|se ha desplegado|desplegué)(?=[\s.,]|$)/i],
		],
	},
	{
		unsure: /[未没尚待将需若请应]|如果|用户|不|要|之前|计划|准备|下一步|[？?]/,
		forms: [
			["test", /(?:所有|全部)(?:的)?(?:单元|集成)?测试(?:都|均|已|全部)*(?:已经)?通过/],
			["push", /已(?:经)?推送/],
			["commit", /已(?:经)?提交/],
			["merge", /已(?:经)?合并/],
			["deploy", /已(?:经)?部署/],
		],
	},
];

/** What a statement in another language says was done. */
export function foreignClaims(text: string, about: About): DeedClaim[] {
	for (const { unsure, forms } of LANGUAGES) {
		const found = forms.filter(([, form]) => form.test(text));
		if (found.length === 0) continue;
		if (unsure.test(text)) return [];
		return found.map(([kind]) => ({ ...about, kind, file: "", isPassive: true, which: "", isForeign: true }));
	}
	return [];
}

/** Words of the user's in these languages that tell of it: whoever says them may have done it. */
export const FOREIGN_WORDS: Partial<Record<DeedKind, RegExp>> = {
	test: /bestehen|bestanden|grün|passent|réuss|pasan|pasaron|通过/i,
	push: /gepusht|pouss|pushé|push|推送/i,
	commit: /committet|eingecheckt|commit|提交/i,
	merge: /gemergt|gemerged|zusammengeführt|fusion|合并/i,
	deploy: /deploy|ausgerollt|déploy|despleg|部署/i,
};
