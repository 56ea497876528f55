package analyzer

import (
	"strings"
	"sync"
)

// Stopwords are English words that stand in every text and say nothing of its topic. Verbs that
// carry a question (work, make, know) are not among them: a marginal hit is better than a miss.
var Stopwords = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(CommonWords) {
		m[w] = true
	}
	return m
})

const CommonWords = `a about above after again against all am an and any are as at be because been
before being below between both but by can cannot could did do does doing down during each few for
from further had has have having he her here hers herself him himself his how i if in into is it
its itself just me more most my myself no nor not now of off on once only or other our ours
ourselves out over own same she should so some such than that the their theirs them themselves then
there these they this those through to too under until up very was we were what when where which
while who whom whose why will with would you your yours yourself yourselves s t im ive dont didnt
doesnt isnt`

// Irregular leads forms that no stemmer brings together, and a few words that people use for each
// other, to one of them.
var Irregular = sync.OnceValue(func() map[string]string {
	return leads(IrregularForms + "|" + abbreviations)
})

// leads reads groups of words, parted by "|", and leads each word to the first of its group.
func leads(list string) map[string]string {
	m := map[string]string{}
	for group := range strings.SplitSeq(list, "|") {
		words := strings.Fields(group)
		for _, w := range words[1:] {
			m[w] = words[0]
		}
	}
	return m
}

const IrregularForms = `arise arose arisen| awake awoke awoken| bear bore borne| beat beaten|
become became| begin began begun| bend bent| bite bit bitten| bleed bled| blow blew blown| break
broke broken| breed bred| bring brought| build built| burn burnt| buy bought| catch caught| choose
chose chosen| cling clung| come came| creep crept| deal dealt| dig dug| draw drew drawn| dream
dreamt| drink drank drunk| drive drove driven| eat ate eaten| fall fell fallen| feed fed| feel
felt| fight fought| find found| flee fled| fly flew flown| forbid forbade forbidden| forget forgot
forgotten| forgive forgave forgiven| freeze froze frozen| get got gotten| give gave given| go went
gone| grow grew grown| hang hung| hear heard| hide hid hidden| hold held| keep kept| kneel knelt|
know knew known| lay laid| lead led| lean leant| leap leapt| learn learnt| leave left| lend lent|
light lit| lose lost| make made| mean meant| meet met| mistake mistook mistaken| overcome overcame|
pay paid| ride rode ridden| ring rang rung| rise rose risen| run ran| say said| see saw seen| seek
sought| sell sold| send sent| sew sewn| shake shook shaken| shine shone| shoot shot| show shown|
shrink shrank shrunk| sing sang sung| sink sank sunk| sit sat| sleep slept| slide slid| speak spoke
spoken| spend spent| spill spilt| spin spun| spread| spring sprang sprung| stand stood| steal stole
stolen| stick stuck| sting stung| stink stank stunk| strike struck| strive strove striven| swear
swore sworn| sweep swept| swell swollen| swim swam swum| swing swung| take took taken| teach
taught| tear tore torn| tell told| think thought| throw threw thrown| understand understood|
undertake undertook undertaken| wake woke woken| wear wore worn| weave wove woven| weep wept| win
won| wind wound| withdraw withdrew withdrawn| write wrote written| rewrite rewrote rewritten|
rebuild rebuilt| redo redid redone| undo undid undone| child children kid kids| man men| woman
women| person people persons| foot feet| tooth teeth| mouse mice| goose geese| ox oxen| life lives|
wife wives| knife knives| leaf leaves| half halves| shelf shelves| thief thieves| wolf wolves| loaf
loaves| calf calves| datum data| criterion criteria| phenomenon phenomena| medium media| index
indices indexes| vertex vertices| matrix matrices| appendix appendices| analysis analyses| crisis
crises| basis bases| hypothesis hypotheses| thesis theses| diagnosis diagnoses| good better best|
bad worse worst| photo photos pic pics picture pictures photograph photographs| mother mom moms mum
mums mothers| father dad dads fathers| movie movies film films| bicycle bike bikes bicycles|
television tv| telephone phone phones| vacation vacations holiday holidays| grandmother grandma|
grandfather grandpa| refrigerator fridge| advertisement ad ads advert| laboratory lab labs|
mathematics math maths| repository repo repos| database db databases| configuration config configs|
directory dir dirs folder folders| application app apps| environment env envs| authentication auth|
favorite favourite| color colour colors colours| center centre| theater theatre`

// What programmers write short.
const abbreviations = `production prod| kubernetes k8s kube| postgres postgresql psql pg| typescript
ts| javascript js| dependency deps dep| documentation docs doc| infrastructure infra| performance
perf| administrator admin admins| development dev| library lib libs| package pkg pkgs| message msg
msgs| parameter param params| argument arg args| function fn fns func funcs| credential cred creds|
certificate cert certs| password pwd passwd| command cmd cmds| image img imgs| button btn btns|
timezone tz| accessibility a11y| terraform tf| python py| regexp regex| specification spec specs|
statistics stats| information info| language lang langs`
