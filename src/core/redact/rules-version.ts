/** Which rules of redaction these are: changes with every file of this folder (a test says what to write here). */
export const RULES_VERSION = "463f1827";
