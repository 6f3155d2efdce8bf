interface Topic {
	/** A line for the list. */
	about: string;
	text: string;
	/** Other words for it. */
	also?: readonly string[];
}

/** Short texts on what spans several commands. One line is one paragraph; an indented line is an example. */
export const TOPICS: Record<string, Topic> = {
	statusline: {
		about: "what the status line shows, and where its numbers come from",
		also: ["status line", "status-line"],
		text: `The status line shows how far the conversation is from its next compaction: tokens used, the point where Claude Code compacts, a bar, and what is left.
"● save due" means that compaction is near and the agent will be told with its next tool call. "✓ nudged" means that it was told. The time of the last checkpoint stands behind "saved". "⚠ hook failed" means that something of ccg did not work.
A status line you had before is kept: it runs with the same input, and its lines stand above ccg's.

  ccg status              the same numbers for every session
  ccg doctor              why the line is empty, or says that a hook failed`,
	},
	nudge: {
		about: "what the agent is told when compaction is near",
		text: `When a conversation comes near to its compaction, ccg leaves a marker. The next tool call of the main conversation takes the marker away and tells the agent once: how much room is left, and with which command it can save what should last. Subagents are not told.
What the agent does with it is the agent's choice; the checkpoint is written in any case.
The distance is marker.headroomTokens in config.json, the words are nudge.wording (facts, directive, off, or a text of your own).

  ccg status              whether the marker is set in a session
  ccg profile use quiet   no nudges in this project`,
	},
	checkpoints: {
		about: "what is saved before a compaction, and what comes back",
		also: ["checkpoint", "recovery", "compaction"],
		text: `Before each compaction ccg reads the transcript and saves a checkpoint: your messages and directives word for word, decisions, plan and tasks, files, failures, what runs in the background.
Behind the summary the agent gets a recovery block with what summaries lose most. The summary is then compared with the checkpoint, and what both lack comes with the next tool call or prompt.

  ccg show                what would come back if the conversation were compacted now
  ccg report --last       what the last compaction kept and lost, and what came back
  ccg status              each session's last checkpoint`,
	},
	memory: {
		about: "notes that outlive a session",
		also: ["notes"],
		text: `Notes are Markdown files that you and the agent can read and edit: MEMORY.md and a log for each day, for one project and for all of them. A new session is told what MEMORY.md and the last logs hold, first what fits the branch and the files that are there. Secrets are left out when a note is saved.
A note that says nearly what another one says is refused. Notes that name files which are gone, and notes that contradict each other, are found by a check.
Claude Code has a memory of its own; ccg lists its files and never writes them.

  ccg memory save "tests run with: npm test"
  ccg memory list
  ccg memory list --notes   each note with its age and its last use
  ccg memory edit 3 "tests run with: npm test -- --project unit"
  ccg memory delete 3       the third note of MEMORY.md
  ccg memory check          is what they name still there?`,
	},
	tasks: {
		about: "a task that outlasts a context window, and the stop before it ends",
		also: ["guard"],
		text: `ccg task keeps the state of a long task on disk: goal, phase, next action, what worked, what failed and why, decisions, constraints. An agent calls it before and after each larger step, and a new session goes on from there.
The first line of each answer and the exit code say whether to go on. When the context is nearly used up ccg warns; with guard.mode "enforce" it holds changes back until the task is checkpointed. You can lift the stop from a terminal of your own.

  ccg task status
  ccg task skill            the text that teaches an agent the loop
  ccg task resume           lift the stop until the next compaction
  ccg profile use careful   enforce it in this project`,
	},
	privacy: {
		about: "what is stored, where, and who reads it",
		also: ["stored", "what is stored", "storage", "files"],
		text: `Everything stays on this machine: ccg has no daemon, and asks no model. Only where you name a server under "embeddings" in config.json, redacted text goes to that server; ccg doctor says which.
It is stored in ~/.claude-memory (or in CCG_HOME), readable by you alone: notes, and a folder for each session with its checkpoints, its history and its reports. index.sqlite holds the text of all sessions for the search; deleting it loses nothing that ccg index rebuild can read again. What is quoted comes from Claude Code's own transcripts. Tokens, keys and passwords are taken out before anything is written; no list of such forms is complete.
Old sessions are deleted once a day, by the rules of "retention" in config.json.

  ccg sessions list                 what is kept of each session
  ccg sessions delete ID            delete it
  ccg gc --dry-run                  what would be deleted next`,
	},
	uninstall: {
		about: "how to take everything away",
		also: ["remove"],
		text: `ccg uninstall takes its entries out of Claude Code's settings and puts back the status line you had. When nothing else changed the file in between, it is the same to the byte.
Your notes and the stored sessions stay until you delete the folder ~/.claude-memory (or CCG_HOME). Then delete the folder ccg lies in.

  ccg uninstall --dry-run
  ccg uninstall`,
	},
};
