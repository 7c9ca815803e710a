"""Rulebook: what each rule id means, in a line. Law: our own words, for somebody who never saw the rules.

The ids are those that events and refusals name. The house's own rules are about turns, the table, seats, disputes.
"""

NME = {
    "NME-01": "A fig that stands still in its turn fires one aimed shot or up to two snap shots.",
    "NME-02": "A fig that walked has one snap shot left in that turn.",
    "NME-03": "Nobody shoots who ran, charged, fights hand to hand, lies on the ground or carries no gun.",
    "NME-04": "Some heavy weapons are not fired in a turn in which their carrier moved; turning is no move.",
    "NME-05": "One may shoot at any enemy in view, or at a place on the ground.",
    "NME-06": 'With enemies within 10", shoot at the nearest active one or, if it has cover, the nearest in the open.',
    "NME-07": "A fig sees what lies in the half circle ahead of it; a bit of the other's base showing there is enough.",
    "NME-08": "Having chosen a target, the shooter turns to it for free.",
    "NME-09": "A fig is in the open, in cover or out of sight; one that hides in cover cannot be seen at all.",
    "NME-10": 'A fig that is pinned or down can be picked out as a target only from 5" or nearer.',
    "NME-11": "Once the target is named, and before rolling to hit, two dice tell whether the ammunition lasts.",
    "NME-12": "The ammo roll fails on a double that is lower than the weapon's rating, and on nothing else.",
    "NME-13": "A weapon that fails its ammo roll does not fire and is of no more use in this battle.",
    "NME-14": "The shooter rolls as many six-sided dice as its ballistic skill (BS).",
    "NME-15": "Each six earns one more die.",
    "NME-16": "Every 5 and every 6 is a hit, on extra dice too.",
    "NME-17": 'Each hit carries the shot 5" farther; a target no farther away than that is struck.',
    "NME-18": "Past the weapon's effective range a further hit is worth only 1\".",
    "NME-19": "An aimed shot rolls twice the dice.",
    "NME-20": "A fig struck while in cover rolls a die: on 4 or more the cover stops the shot and it is only pinned.",
    "NME-21": "A shot that would have struck with one more hit sends its target to ground: it is pinned.",
    "NME-21b": "Other things that throw a fig down pin it as well, such as a hit that leaves it standing.",
    "NME-22": 'It follows that any miss from less than 5" away pins.',
    "NME-23": "A pinned fig lies flat and does nothing until it recovers; in cover it is out of sight.",
    "NME-24": 'A blast or flame pins, whoever they belong to, all figs that it touches or falls within 1" of.',
    "NME-25": "A pinned fig loses its next turn and then gets up; with a friend near it may test to get up at once.",
    "NME-26": "Nobody shoots into a fight that a friend is in; into others one may, and chance picks who is struck.",
    "NME-27": "Blasts and flames are laid on the table by the players, who say whom they touch.",
    "NME-28": "When the sixes alone carry the shot to the target, the hit is critical and twice as strong.",
    "NME-29": 'At 4" or less a roll without a hit still carries as many inches as its highest die.',
    "NME-30": "Such a point-blank hit is critical if that die is higher than the distance.",
}
"""N:ME."""

MFD = {
    "MFD-01": "There are four kinds of weapon; what a weapon looks like makes no difference.",
    "MFD-02": "A close combat weapon strikes with two dice of damage and cannot be fired.",
    "MFD-03": 'A pistol reaches 10" and does one die of damage.',
    "MFD-04": "Whoever holds a pistol has a close combat weapon too.",
    "MFD-05": 'A rifle does one ten-sided die of damage, up to 15", or 20" from a fig that stood still.',
    "MFD-06": 'A big weapon is fired standing still, up to 20": three dice of damage, or a ten-sided one if explosive.',
    "MFD-07": "A force needs ten lesser guns for each big one.",
    "MFD-08": 'In its turn a fig stands still, moves up to 5" or runs up to 10".',
    "MFD-09": "What a weapon may do, how often and how far, depends on how its carrier moved in that turn.",
    "MFD-10": "A limit in inches includes the limit itself.",
    "MFD-11": "The list of modifiers is a guide: the referee may add one, with a reason.",
    "MFD-12": "A shooter that ran hits less easily: -3.",
    "MFD-13": "A target partly behind cover is harder to hit: -1.",
    "MFD-14": "A target almost wholly behind cover is much harder to hit: -3.",
    "MFD-15": "One may fire at a target that nobody sees, at -6.",
    "MFD-16": "A target that cannot dodge is easier to hit: +1. Standing still by choice is not that.",
    "MFD-17": 'A target nearer than 3" is easier to hit: +1.',
    "MFD-18": "In contact with its target a shooter gets +2 and always touches; the roll tells whether it does harm.",
    "MFD-19": "Each turn spent aiming at one target adds +1 to the shot.",
    "MFD-20": "Big targets are easier to hit: +1 at twice a fig's size, and one more with each doubling.",
    "MFD-21": "Figs of two sides that stand base to base are in close combat.",
    "MFD-22": "A shot into a melee that hits strikes either side with an even chance, and then anybody of that side.",
    "MFD-23": "All figs in a melee strike at the same moment, once a turn; two may fell each other.",
    "MFD-24": "A fig without a close combat weapon needs a 4 and does one die of damage.",
    "MFD-25": "A side down to a tenth of its figs, without vehicles and outnumbered or outgunned, may call last ditch.",
    "MFD-26": "In last ditch every fig makes for the closest enemy and none runs; big weapons may stay where they are.",
    "MFD-27": "Figs in last ditch get +2 to hit, are hit at +1, have no use of cover and have one less armour.",
    "MFD-28": "Last ditch holds to the end of the battle and cannot be taken back.",
}
"""MiniFig Death."""

HOUSE = {
    "TURN-01": "Sides take turns; only the side whose turn it is acts with its figs.",
    "TURN-02": "The phases of a turn come in order, and one that is over does not come back.",
    "TURN-03": "A fig that is out of the battle neither acts nor is acted on.",
    "TURN-04": "When a battle has ended nothing more is played, unless the referee undoes its end.",
    "TURN-05": "Each rule system has its own phases and actions; the other's do not exist in it.",
    "TURN-06": "A side concedes once.",
    "TURN-07": "Where players report injuries, they report each before anything else is done.",
    "TURN-08": "A battle is closed for good only after it has ended.",
    "BATTLE-01": "A battle goes by its id, and there is none of that id here.",
    "TABLE-01": "Figs and points lie on the table.",
    "TABLE-02": "No fig stands on another's base.",
    "SEAT-01": "What a seat may do is fixed: spectators read, and some acts are the referee's alone.",
    "SEAT-02": "A side acts with its own figs only; the referee may act for any.",
    "INJURY-01": "A hit is looked up on the chart of its strength with one die: close, clipped, dropped or iced.",
    "INJURY-02": "Where the policy says so, the players report what a hit did, in the same four words.",
    "DISPUTE-01": "A battle holds a limited number of open disputes.",
    "DISPUTE-02": "A dispute is settled under its own number.",
    "DISPUTE-03": "A dispute that is settled stays settled; a new one may be opened.",
    "UNDO-HEAD": "Nobody agrees to an undo of more than was shown: an answer names the last entry that was seen.",
}
"""The service's own rules."""

RULES: dict[str, str] = {**NME, **MFD, **HOUSE}
"""Every rule id with its line."""
