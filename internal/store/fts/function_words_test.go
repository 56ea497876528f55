package fts

// Words that carry grammar in German, Spanish, French, Portuguese, Italian and Dutch: a sentence in
// such a language shares them with every note in it. They stay terms, but prove nothing. Words
// that carry meaning in English or in programs are left out (die, bin, man, war, son, sin, but,
// main, os, door, dir, ai, met), also by their stem (celle, antes). Their terms are in smallTerms.
const functionWords = germanWords + spanishWords + frenchWords + portugueseWords + italianWords +
	dutchWords

const germanWords = ` aber alle allem allen aller alles als andere anderen anderer anderes auch
auf aus bei beim bis bist bitte da dabei dadurch dafür dagegen daher dahin damit danach daneben
danke dann daran darauf daraus darf darfst darin darum darunter darüber das dass davon davor dazu
dein deine deinem deinen deiner dem den denen denn der deren des deshalb dessen dich dies diese
diesem diesen dieser dieses doch dort du durch dürfen ein eine einem einen einer eines einige
einigen einmal er erst es etwas euch euer eure für gegen gehen geht gemacht genau gewesen gibt
habe haben hallo hast hatte hatten hier hinter hätte hätten ich ihm ihn ihnen ihr ihre ihrem
ihren ihrer im immer ins irgendwie ist ja jede jedem jeden jeder jedes jedoch jene jetzt kann
kannst kein keine keinem keinen keiner können könnte könnten könntest mache machen machst
macht mehr mein meine meinem meinen meiner mich mir mit muss musst möchte möchten müssen nach
nein nicht nichts noch nun nur ob oder ohne schon sehr sei seid sein seine seinem seinen seiner
seit sich sie sind solche soll sollen sollst sollte sollten sondern sonst um und uns unser unsere
unserem unseren unter viel viele vom von vor wann warum weil welche welchem welchen welcher
welches wenn wer werde werden wessen wie wieder willst wir wird wirst wo wollen wollte worden
wurde wurden während wäre wären würde würden würdest zu zum zur zwar zwischen über`

const spanishWords = ` ahora al algo alguien alguna algunas alguno algunos algún aquel aquella
aquellas aquellos aquí así aunque aún bien cada casi como con contra cual cuales cualquier
cuando cuál cuáles cuándo cuánta cuántas cuánto cuántos cómo de del desde después donde
durante dónde el ella ellas ellos en entonces entre era eran eres es esa esas ese eso esos esta
estaba estado estamos estar estas este esto estos estoy está están estás fue fueron gracias
había hace hacer haces hago han has hasta hay hecho hemos hola incluso la las le les lo los luego
mejor menos mi mientras mis misma mismo mucha muchas mucho muchos muy más mía mío nada ni
ninguna ninguno ningún nos nosotros nuestra nuestras nuestro nuestros nunca otra otras otro otros
para pero poco podemos poder podría podrías por porque puede pueden puedes puedo pues que quien
quiere quieres quiero quién qué se sea según ser será si sido siempre sobre sois solo somos
soy su sus sí sólo también tan tanto te tenemos tener tengo tiene tienen tienes toda todas
todavía todo todos tu tus tú un una unas uno unos usted ustedes va vamos vosotros voy y ya yo
él`

const frenchWords = ` afin aie ainsi alors après assez au aucun aucune aujourd'hui auquel aussi
autre autres aux avait avant avec avez avoir avons bien bonjour ce ceci cela celui cependant ces
cet cette ceux chacun chaque chez combien comme dans de depuis des dessous dessus deux devrais
devrait dois doit donc dont du déjà elle elles en encore entre es est et eux faire fais fait
faites faut ici il ils jamais je jusqu jusque la laquelle le lequel les lesquels leur leurs lors
lorsque lui là ma mais malgré merci mes mettre mieux moi moins mon même mêmes ne ni nos notre
nous on ont ou oui où par parce pas pendant peu peut peux plusieurs pour pourquoi pourrais
pourrait pouvez pouvoir puis puisque qu quand quel quelle quelles quelque quelques quels qui quoi
quoique sa sans se sera serait si sinon sont sous suis sur ta tandis te tel telle telles tels tes
toi toujours tous tout toute toutes trop très tu un une va vais vas vers veut veux voici voilà
vont vos votre voudrais voulez vous vôtre y étaient était étant été être`

const portugueseWords = ` ainda algo algum alguma algumas alguns alguém ao aos apenas aquela
aquelas aquele aqueles aquilo assim até bem cada com como contra da das de dela delas dele deles
depois desde dessa desse desta deste durante e ela elas ele eles em enquanto entre era eram essa
essas esse esses esta estamos estar estas estava este estes estou está estão faz fazer faço fez
foi foram ha há isso isto já lhe lhes lá mais mas melhor menos mesma mesmo meu meus minha
minhas muita muitas muito muitos na nada nas nem nenhum nenhuma nessa nesse nesta nos nossa nossas
nosso nossos numa nunca não nós o obrigada obrigado olá onde ou outra outras outro outros para
pela pelas pelo pelos per pode podem podemos poderia podia pois por porque porquê posso pouco pra
próprio quais qual qualquer quando quanta quantas quanto quantos que quem quer quero quê se seja
sem sempre ser será seu seus sim sob sobre somos sou sua suas são só também tanto te tem temos
tenho ter teu teus toda todas todo todos tu tua tuas tudo tão têm um uma umas uns vai vamos
você vocês vou vós é`

const italianWords = ` abbiamo adesso agli al alcun alcuna alcune alcuni alla alle allo allora
altra altre altri altro anche ancora avere avete aveva avevo bene che chi ciao cioè ciò coi col
come con contro cosa così cui da dagli dai dal dall dalla dalle dallo degli dei del dell della
delle dello dentro deve devo di dire dopo dov dove dovrebbe dunque e ecco ed egli era erano essere
essi fa faccio fai fanno fare fatto fino fra già gli grazie ha hai hanno ho i il infatti insieme
invece io l la le lei li lo loro lui là ma mai meglio meno mentre mi mia mie miei mio molta molte
molti molto ne negli nei nel nell nella nelle nello nessun nessuna nessuno niente noi non nostra
nostre nostri nostro nulla o oggi ogni ognuno oppure ora per perchè perché però più poco poi
possiamo posso potrebbe potresti puoi può qual qualche qualcosa qualcuno quale quali quando
quanta quante quanti quanto quasi quella quelle quelli quello questa questi questo qui quindi
sarebbe sarà se sei sempre senza si sia siamo siete solo sono sopra sotto sta stai stanno stata
stati stato sto su sua sue sugli sui sul sull sulla sulle suo suoi sì tra troppo tu tua tue tuo
tuoi tutta tutte tutti tutto un una uno va vado voglio voi vostra vostre vostri vostro vuoi vuole
è`

const dutchWords = ` aan achter al alle alleen alles als altijd ander andere bij binnen daar
daarna daarom dan dank dat de deze dit doe doen doet dus een eens en erg ga gaan gaat geen geweest
ging haar hadden heb hebben hebt heeft heel hen het hier hij hoe hoeveel hun iemand iets ik ineens
is ja jaar je jij jou jouw jullie kan kun kunnen kunt maak maakt maar maken meer meest mij mijn
misschien moest moet moeten mogen na naar nee niemand niet niets nog nooit nu om omdat onder ons
onze ook sinds soms te tegen terug toch toen tot tussen uit uw vaak vanaf veel voor waar waarom
wanneer waren wat weer wel welk welke werd werden wie wij wil willen word worden wordt zal ze zei
zelf zich zij zijn zo zoals zonder zou zouden zullen zult`

// sameWords are groups whose meanings are close enough that a search for one word wants the others.
// Client and customer are no group, for "custom" is a word of its own with the stem of customer;
// nor is ship, for "ship it" is small talk.
const sameWords = `cart basket| revert rollback| login signin logon| delete remove erase purge
drop|
signup registration| refund reimburse reimbursement| staging preprod| flaky flake intermittent|
outage downtime| sunset deprecate| colleague coworker teammate| dedup deduplicate| email mail|
lawyer attorney| doctor physician| car automobile vehicle| fast quick| big large huge| start begin
commence| finish complete| allow permit| forbid prohibit ban disallow| choose pick select| fix
repair| buy purchase| hide conceal| show display| slow sluggish| cost price| fetch retrieve| invoice
bill| notify alert| deploy release rollout| bug defect| crash segfault| employee staff| salary wage|
laptop notebook| optimize optimise| memoize memo| convention guideline| webhook callback| backup
snapshot| limit quota| shortcut hotkey| freeze moratorium`
