/** Who else it may have been. */
export const PERSONS =
	/\b(?:user|users|you|your|colleagues?|teammates?|team|reviewers?|maintainers?|author|he|she|they|someone|CI(?! tests)|pipelines?|workflows?|actions|bots?|sub-?agents?|agents?|cron|upstream|previous session|other session|another session|human|customers?)\b/i;
/** And what code does by itself. */
export const OTHERS = new RegExp(
	`${PERSONS.source}|\\b(?:hooks?|scripts?|jobs?|service|function|method|handler|class|code|commands?|CLI|tool|daemon|runner)\\b`,
	"i",
);
