"""The append, as the server carries it out. Law: one call, one lock, and either all of it is stored or nothing is.

Whoever writes takes the same lock for the rest of the transaction. So notification ids come in the order of commits,
and what is looked at (the key first, then the head) still holds when it is followed. The tables are never locked, so
that nothing else in the database waits. Leaves are hashed from the bytes that are stored, as `trees` does it on SQLite.
"""

from typing import Final

VERSION: Final = 3
"""The version of the tables, which goes up as that of SQLite does, and when these change (see `schema`)."""

LOCK: Final = 0x626174746C65
"""The number of the advisory lock: "battle"."""

CHANNEL: Final = "battlelog"
"""Where everybody hears that something was written, and by which store; nothing else is said."""

LOCKED: Final = f"SELECT pg_advisory_xact_lock({LOCK})"
NOTIFIED: Final = f"SELECT pg_notify('{CHANNEL}', %s)"

_EXTENDED: Final = f"""CREATE OR REPLACE FUNCTION battlelog_extended_{VERSION}(frontier bytea, leaves bytea[])
RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    size bigint := ('x' || encode(substr(frontier, 1, 8), 'hex'))::bit(64)::bigint;
    peaks bytea := substr(frontier, 9);
    node bytea;
    full_trees bigint;
BEGIN
    FOREACH node IN ARRAY leaves LOOP
        full_trees := size;
        WHILE full_trees & 1 = 1 LOOP
            node := sha256('\\x01'::bytea || substr(peaks, length(peaks) - 31) || node);
            peaks := substr(peaks, 1, length(peaks) - 32);
            full_trees := full_trees >> 1;
        END LOOP;
        peaks := peaks || node;
        size := size + 1;
    END LOOP;
    RETURN int8send(size) || peaks;
END $$"""

_BEGINNING: Final = f"""CREATE OR REPLACE FUNCTION battlelog_beginning_{VERSION}(stem text, upto bigint)
RETURNS bytea LANGUAGE plpgsql STABLE AS $$
DECLARE
    found_tree bytea;
BEGIN
    SELECT h.frontier INTO found_tree FROM heads AS h WHERE h.battle = stem AND h.size = upto;
    IF NOT FOUND THEN
        WITH RECURSIVE line (battle, upto) AS (
            SELECT stem, upto UNION ALL
            SELECT b.parent, least(line.upto, b."at") FROM line JOIN branches AS b ON b.battle = line.battle)
        SELECT battlelog_extended_{VERSION}(int8send(0), coalesce(array_agg(l.hash ORDER BY l.seq), '{{}}'))
            INTO found_tree FROM line JOIN leaves AS l ON l.battle = line.battle AND l.seq <= line.upto;
    END IF;
    RETURN found_tree;
END $$"""  # noqa: S608 - constants

_APPEND: Final = f"""CREATE OR REPLACE FUNCTION battlelog_append_{VERSION}(
    stream text, ids text[], seqs bigint[], topics text[], states bytea[], beside jsonb, writer text,
    OUT outcome text, OUT last bigint, OUT numbers bigint[])
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    k keys := jsonb_populate_record(NULL::keys, beside->'key');
    b branches := jsonb_populate_record(NULL::branches, beside->'branch');
    s summaries := jsonb_populate_record(NULL::summaries, beside->'summary');
    tree bytea;
    hashes bytea[];
BEGIN
    IF b.battle IS NOT NULL THEN  -- long work, and the past does not change: before the lock
        tree := battlelog_beginning_{VERSION}(b.parent, b."at");
    END IF;
    PERFORM pg_advisory_xact_lock({LOCK});

    -- The key first: whoever asks again after a lost answer is to hear of it, not of a head that moved.
    PERFORM 1 FROM keys AS t WHERE t.scope = k.scope AND t.seat = k.seat AND t."key" = k."key";
    IF FOUND THEN outcome := 'taken'; RETURN; END IF;
    IF stream IS NOT NULL THEN
        SELECT coalesce(max(originator_version), 0) INTO last FROM stored_events WHERE originator_id = stream;
        IF b.battle IS NOT NULL THEN
            IF last > 0 THEN outcome := 'stands'; RETURN; END IF;
            SELECT max(originator_version) INTO last FROM stored_events WHERE originator_id = b.parent;
            IF last IS NULL OR NOT b."at" BETWEEN 1 AND last THEN outcome := 'astray'; RETURN; END IF;
            last := b."at";
        END IF;
        PERFORM 1 FROM unnest(seqs) WITH ORDINALITY AS u (seq, place) WHERE u.seq <> last + u.place;
        IF FOUND THEN outcome := 'moved'; RETURN; END IF;
    END IF;

    WITH added AS (
        INSERT INTO stored_events (originator_id, originator_version, topic, state)
        SELECT * FROM unnest(ids, seqs, topics, states) RETURNING notification_id)
    SELECT array_agg(notification_id ORDER BY notification_id) INTO numbers FROM added;
    IF k.scope IS NOT NULL THEN INSERT INTO keys SELECT (k).*; END IF;
    INSERT INTO seats SELECT * FROM jsonb_populate_recordset(NULL::seats, beside->'seats');
    INSERT INTO secrets SELECT * FROM jsonb_populate_recordset(NULL::secrets, beside->'secrets');
    INSERT INTO names SELECT * FROM jsonb_populate_recordset(NULL::names, beside->'names')
        ON CONFLICT (battle, seat) DO UPDATE SET salt = excluded.salt, name = excluded.name;
    IF b.battle IS NOT NULL THEN INSERT INTO branches SELECT (b).*; END IF;
    IF s.battle IS NOT NULL THEN
        UPDATE summaries AS t SET
            system = s.system, title = s.title, status = s.status, turn = s.turn, phase = s.phase, side = s.side,
            event = s.event, "round" = s."round", "table" = s."table", head = s.head, disputes = s.disputes,
            undo_pending = s.undo_pending, parent = s.parent, private = s.private, "time" = s."time"
            WHERE t.battle = s.battle;
        IF NOT FOUND THEN
            INSERT INTO summaries (battle, system, title, status, turn, phase, side, event, "round", "table", head,
                disputes, undo_pending, parent, private, "time")
            SELECT s.battle, s.system, s.title, s.status, s.turn, s.phase, s.side, s.event, s."round", s."table",
                s.head, s.disputes, s.undo_pending, s.parent, s.private, s."time";
        END IF;
    END IF;

    IF stream IS NOT NULL AND cardinality(seqs) > 0 THEN
        SELECT array_agg(sha256('\\x00'::bytea || u.state) ORDER BY u.place) INTO hashes
            FROM unnest(states) WITH ORDINALITY AS u (state, place);
        INSERT INTO leaves SELECT stream, u.seq, u.hash FROM unnest(seqs, hashes) AS u (seq, hash);
        IF b.battle IS NULL THEN
            SELECT h.frontier INTO tree FROM heads AS h WHERE h.battle = stream;
        ELSIF substr(tree, 1, 8) <> int8send(last) THEN  -- the parent was still being written
            tree := battlelog_beginning_{VERSION}(b.parent, b."at");
        END IF;
        INSERT INTO heads SELECT stream, last + cardinality(seqs),
            battlelog_extended_{VERSION}(coalesce(tree, int8send(0)), hashes)
            ON CONFLICT (battle) DO UPDATE SET size = excluded.size, frontier = excluded.frontier;
    END IF;
    PERFORM pg_notify('{CHANNEL}', writer);
    outcome := 'stored';
END $$"""  # noqa: S608 - constants

FUNCTIONS: Final = (_EXTENDED, _BEGINNING, _APPEND)
NAMES: Final = frozenset(f"battlelog_{word}_{VERSION}" for word in ("extended", "beginning", "append"))
"""The version is part of a name, so that the program of the version before goes on with its own."""

APPEND: Final = (
    f"SELECT outcome, last, numbers FROM battlelog_append_{VERSION}("  # noqa: S608 - a constant
    "%s::text, %s::text[], %s::bigint[], %s::text[], %b::bytea[], %s::jsonb, %s::text)"
)
