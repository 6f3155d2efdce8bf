/** Whether a text may set a variable: a name of its own, none that a shell or a program takes something from. */
export function isOwnName(name: string, isSet: (name: string) => boolean): boolean {
	return /^[A-Za-z_]\w*$/.test(name) && !SPECIAL.test(name) && !isSet(name);
}

/** Of bash, zsh, the loader and programs that read commands or options from their environment. */
const SPECIAL = new RegExp(
	`^(?:${[
		"(?:.*_)?PATH|I?FS|ENV|BASH.*|ZSH.*|ZDOTDIR|ZLE.*|PS\\d|R?PROMPT.*|SPROMPT|PROMPT_COMMAND|SHELL.*|HOME|(?:OLD)?PWD|DIRSTACK",
		"GLOBIGNORE|HIST.*|MAIL.*|OPT(?:ARG|IND|ERR)|POSIXLY_CORRECT|TMOUT|EXECIGNORE|FIGNORE|FUNCNEST|CDPATH|(?:READ)?NULLCMD",
		"IFS|TRAP.*|REPORT.*|MODULE_PATH|TMPDIR|TEMP|TMP|LOCPATH|NLSPATH|HOST.*|_.*",
		"(?:LD|DYLD|GIT|SSH|RIPGREP|FZF|BAT|AWK|NODE|NPM|npm|YARN|BUN|DENO|PIP|GEM|CARGO|DOCKER|KUBE|AWS|GH|CCG|CLAUDE|ANTHROPIC|XDG)_.*",
		"(?:PYTHON|PERL|RUBY|LESS|MAN|GREP|JAVA|RUST|GO)(?:[A-Z]*(?:OPTS?|OPTIONS|OPEN|FLAGS|STARTUP|SECTION|COLORS?))?",
		".*(?:PAGER|EDITOR|VISUAL|BROWSER|OPEN|OPTS?|OPTIONS|FLAGS|_COMMAND|_CONFIG|_HOME)",
		"(?:https?|all|no|ftp)_proxy",
		"(?:f|cd|mail|man|module_)?path|fignore|prompt\\d?|psvar|histchars|status|pipestatus|argv|signals|watch|options|functions.*|aliases|[gs]aliases|dis_.*|commands|parameters|modules|builtins|reswords|nameddirs|userdirs|dirstack|history.*|job.*|keymaps|widgets|zsh.*|.*_functions",
	].join("|")})$`,
);

/** Variables that a command may be given: they say how it prints. */
export function isHarmlessSetting(name: string, value: string | null): boolean {
	if (name === "IFS") return value !== null;
	if (value === null) return false;
	if (/^(?:(?:GIT_|MAN|GH_|AWS_|SYSTEMD_)?PAGER)$/.test(name)) return value === "cat" || value === "";
	if (/^(?:GIT_OPTIONAL_LOCKS|GIT_TERMINAL_PROMPT)$/.test(name)) return /^[01]$/.test(value);
	return (
		/^(?:LC_[A-Z]+|LANG|LANGUAGE|TZ|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?)$/.test(name) &&
		/^[\w.,:@+-]*(?:\/[\w+-]+)*$/.test(value)
	);
}
