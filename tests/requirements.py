"""What the steward promises, one sentence each, and which of it is built.

A test cites what it holds: `@pytest.mark.requirement("R4")`. `test_requirements.py` fails where a promise has
no test, where a test cites what is not promised, and where a planned promise has a test already. A letter
behind an id is a part of that promise that later work brings.
"""

from dataclasses import dataclass

TRACKERS = "sources that are asked over HTTP"
CODEX = "the Codex endpoint"
VIEWS = "the dashboard, with the command line and chat beside it"


@dataclass(frozen=True, slots=True)
class Requirement:
    """A promise. `source`: whose part of the contract it is. `planned`: the later work that brings it, or None."""

    id: str
    sentence: str
    source: str
    planned: str | None = None


PROFILE = "runtime profile"
SESSION = "sessions"
READING = "reading evidence"
TURN = "turns"
LATE = "review of an interrupted answer"
GROUNDED = "answer rules"
WORDS = "what people are told"
ACCESS = "audiences and grants"
DURABLE = "durability"

REQUIREMENTS: tuple[Requirement, ...] = (
    # ------------------------------------------------------------ P: what a turn's process may do
    Requirement("P1", "The profile is stored once, in an exact form; anything else in it is refused.", PROFILE),
    Requirement("P2", "Each stored value, audience and endpoint has one effective profile; where nothing is stored, every audience is restricted.", PROFILE),
    Requirement("P3", "No turn can be approved while it runs; the revision covers this namespace alone and says where nothing is stored, and what is corrupt is told to the owner only.", PROFILE),
    Requirement("P4", "Only the owner's private chat can ever be more than restricted; no grant, command, card, corrupt state or change of membership opens trusted_owner elsewhere.", PROFILE),
    Requirement("P5", "trusted_owner without an endpoint that can hold it owes the question and says what to select.", PROFILE),
    Requirement("P6", "trusted_owner does not cover merge, release, deploy, delete or payment, and says what else of its limits holds here; what is quoted or forwarded never enters such a turn.", PROFILE),
    Requirement("P6b", "The process of a turn that has host tools holds no credential for those operations.", PROFILE, CODEX),
    Requirement("P7", "An owner's effect and a turn with host tools need the platform's own copy of the message, else the turn runs restricted and says so; a click needs its nonce.", PROFILE),
    Requirement("P8", "A profile changes by preview, apply against that preview, and readback, once.", PROFILE),
    Requirement("P9", "A change of owner makes the machine restricted in its own commit; it, going back to restricted and a stop end trusted_owner turns that are running.", PROFILE),
    Requirement("P10", "One function renders sandbox, prompt and notes from the profile; a turn starts only where the endpoint reads back just that.", PROFILE),
    Requirement("P10b", "The Codex process is started with what that function renders, and its host reads it back.", PROFILE, CODEX),
    # ------------------------------------------------------------ S: sessions
    Requirement("S1", "Each session keeps the six fields that it really started with; they report and authorise nothing.", SESSION),
    Requirement("S2", "A session whose fields differ from the fresh profile gets a new thread and keeps its visible history.", SESSION),
    Requirement("S3", "Nothing from before a change of scope or audience, or before /new, is given to an endpoint again.", SESSION),
    Requirement("S4", "Dashboard, command line and chat show one controller's profile and sessions.", SESSION, VIEWS),
    # ------------------------------------------------------------ R: reading evidence
    Requirement("R1", "The read tool has one name for the owner and one for everyone else, and one closed schema.", READING),
    Requirement("R2", "No argument is coerced, and a legal default is never reported.", READING),
    Requirement("R3", "Refused arguments are named in one order with what each must be, never with what was given.", READING),
    Requirement("R4", "A refusal or failure carries its code, a sentence with the repair, and a typed failure row.", READING),
    Requirement("R5", "The failure codes are closed enums with one table; whatever else goes wrong in the gate is one code.", READING),
    Requirement("R5b", "Every code of every source is raised by something real, proven by a two-way walk.", READING, TRACKERS),
    Requirement("R6", "The gate checks tool, arguments, scope, source and goal before it reads, and the scope again after.", READING),
    Requirement("R7", "A page is bounded in rows and characters, counts every matched row, and goes on from one snapshot.", READING),
    Requirement("R8", "What could not be read whole is marked unknown with reasons, never an empty result.", READING),
    Requirement("R9", "Coverage counts every source and goal of the scope, tried or not; complete means all of it.", READING),
    Requirement("R10", "Old evidence is stale, a clone as old as its last fetch; a file or goal that shrank or vanished is partial.", READING),
    Requirement("R10b", "What a tracker answers is as old as its response.", READING, TRACKERS),
    Requirement("R11", "A window is whole local days by wall clock; rows ahead of our clock are marked.", READING),
    Requirement("R12", "Where a turn's scope or sources cannot be read, no endpoint is called and the question is owed.", READING),
    Requirement("R13", "ssh runs one fixed command on a verified host within bounds, and each way to fail has its code.", READING),
    Requirement("R14", "An endpoint in this process reads through the same gate, whole, as one stored reading.", READING),
    # ------------------------------------------------------------ T: turns
    Requirement("T1", "One judge parses an endpoint's raw bytes; nothing before it repairs, clips or defaults them.", TURN),
    Requirement("T2", "A field over its bound or of another type refuses the candidate whole.", TURN),
    Requirement("T3", "A candidate is stored, judged and settled in one transaction before anything of it is sent; a refused one's notice lists what a host had already run.", TURN),
    Requirement("T4", "A settled attempt gives its stored result again, without a call or a second message; a fresh attempt, asked for by a button, settles once.", TURN),
    Requirement("T4b", "A rate limit is waited out inside the turn, before anything streamed and before any tool ran.", TURN, CODEX),
    Requirement("T5", "A crash runs again only where the endpoint says that this is harmless.", TURN),
    Requirement("T6", "Each way to end without an answer has one code, its notice, and what follows from it.", TURN),
    Requirement("T6b", "A provider's own code decides before an HTTP status, and that before prose.", TURN, CODEX),
    Requirement("T7", "A question moves only along its states, owed ones back by asking again or a review, and is listed until then; answered means that every part was delivered.", TURN),
    Requirement("T8", "A worker that was thought dead cannot settle; its candidate is kept, and the owed question is settled from it.", TURN),
    # ------------------------------------------------------------ V: review of an interrupted answer
    Requirement("V1", "A turn that read and did not answer is reviewed at most once, and never run again.", LATE),
    Requirement("V2", "A review needs a closed turn of ours with complete tool calls, a terminal error and no stop.", LATE),
    Requirement("V3", "A review sees finished tool results alone, in the restricted process, on the same endpoint.", LATE),
    Requirement("V4", "A review that fails changes nothing of the failed turn and leaves the question owed.", LATE),
    Requirement("V5", "A reader gets one supplementary answer to the original message, marked as such.", LATE),
    # ------------------------------------------------------------ E: from a candidate to an answer
    Requirement("E0", "The block of coverage and failures is written by code, from the scope and the readings; what was never tried stands in it.", GROUNDED),
    Requirement("E2", "A claim cites rows that this turn has read, by ids that cannot be guessed; one that does not is dropped and counted.", GROUNDED),
    Requirement("E3", "Absence and zero, in a claim of any kind, are written by code from counts, where coverage is complete for them, and nowhere else.", GROUNDED),
    Requirement("E4", "Links come from evidence alone and show their host; no picture, raw markup, or mention but of the asker.", GROUNDED),
    Requirement("E5", "Numbers and names in a claim come from the rows it cites, or its rows stand in its place.", GROUNDED),
    Requirement("E7", "A claim about all of something contradicts no open row, judged clause by clause.", GROUNDED),
    Requirement("E8", "No claim shows a code of ours.", GROUNDED),
    Requirement("E9", "What rests on a stale reading shows its age.", GROUNDED),
    # ------------------------------------------------------------ W: what people are told
    Requirement("W1", "What was not read is said to be not read, with reason and next step, never to be no progress.", WORDS),
    Requirement("W2", "No code, path, stack trace, secret or provider's text reaches a chat, a page or a refusal.", WORDS),
    Requirement("W3", "A failed question gets one notice: what failed, that it stays owed, what can be done, what was read; what cannot be delivered is told to the owner.", WORDS),
    Requirement("W4", "The conclusion comes first and gaps stand in a bounded footer; a late answer says when it was asked, and after a long outage each granted chat is told once from when to when.", WORDS),
    Requirement("W5", "A Chinese question is answered in Chinese, any other in English, with the same meaning.", WORDS),
    # ------------------------------------------------------------ A: audiences and grants
    Requirement("A1", "The audience follows from the platform's facts; a failed look-up makes the question wait, then owed.", ACCESS),
    Requirement("A2", "An audience reads the sources and goals of its own grants, and nothing without one; the owner's grants and revocations outlive the configuration.", ACCESS),
    Requirement("A3", "Scope, audience and the chat's external flag are compared again at the settle, and each time a part is about to be sent; on a difference it is dropped, and the reader told so.", ACCESS),
    Requirement("A4", "Nothing of one session enters another; what belongs to the owner is shown to the owner alone.", ACCESS),
    Requirement("A5", "Asking, operating and approving are three permissions; a click is its operator's, or nobody's, checked when it takes effect, once.", ACCESS),
    Requirement("A6", "Open questions are bounded per asker and per conversation, visibly.", ACCESS),
    # ------------------------------------------------------------ D: durability
    Requirement("D1", "An acknowledged event is recorded in one commit without the network, once.", DURABLE),
    Requirement("D2", "A recalled message is not answered, also where the recall came first; an older one is, late. A command's effect, audit row, reply and verdict are one commit.", DURABLE),
    Requirement("D3", "One bad event costs neither its batch nor those behind it, and is kept as it came, and told to its chat.", DURABLE),
    Requirement("D4", "A part is sent once: the same bytes and key while its fate is unknown, then it is looked for, and sent once more with a mark or given up.", DURABLE),
    Requirement("D5", "One process serves an SQLite store, recovery runs under its lock, a newer schema is refused, and an older one is upgraded after a backup, or by the operator where a server holds it.", DURABLE),
    Requirement("D6", "Bodies and readings go 30 days after their question is answered, owed ones never; an ignored event keeps its ids and its reason.", DURABLE),
    Requirement("D7", "A kill at any point loses nothing acknowledged, answers nothing twice and keeps each order.", DURABLE),
)  # fmt: skip
