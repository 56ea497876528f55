package fts

// What people say to keep a conversation going. Its terms are in smallTerms.
const smallWords = `ok okay yes yeah yep yup no nope sure thanks thank thx please welcome sorry
hello hi hey bye goodbye morning evening hmm oh wow haha lol great good nice perfect cool fine
awesome excellent amazing right wrong correct true exactly absolutely definitely indeed course
agree agreed lgtm go going come coming get getting make making do doing done let see seeing look
looking sound sounds seem say saying tell know think want need like try trying use using work
working help helping keep start stop wait continue proceed carry next again back ahead well really
still maybe perhaps alright else worry hold pick finish ready second never mind whatever yet
tomorrow yesterday today tonight later soon moment minute much many understand mean one time thing
things way lot bit something anything everything nothing sense idea question answer first last new
好的 好吧 好了 继续 谢谢 谢谢你的帮助 非常感谢 感谢 嗯嗯 可以 可以的 是的 不是 没有 没问题 没关系 知道了 明白了 了解 接着做 接着 下一步 辛苦了 再试一次 一下 就这样吧 这样
多少 怎样 如何 哪里 哪种 为何 是否 解释 说明 介绍 比较 区别 举例 解决 问题 方法 时间 工作 之前 之后 以前 以后 已经 刚才 其他 另外 随便 再来 这样做 说得对 使用 进行
需要 请继续 你好 您好 早上好 晚上好 再见 算了 等一下 不对 对的 对了 完成了吗 完成 怎么样 怎么 太好了 很好 不错 收到 什么 为什么 哪些 哪个 这个 那个 我们 你们 他们 我的
你的 我想 想要 需要 请问 请你 帮我 帮忙 告诉 觉得 应该 还是 还有 然后 现在 时候 一个 一些 有点 真的 当然 同意 确认 开始 停止 重新 行吧 行了 中文 英文`

// English verbs, adjectives, numbers and abstract nouns that go with every topic. A name for a
// thing is never among them. Their terms are vagueTerms.
const vagueWords = `accept add allow already appear apply arrive ask avoid away become begin
believe belong break bring call carry catch cause change check choose clear close collect come
compare complete concern confirm consider contain continue control convert copy count cover create
cross cut decide define deliver depend describe develop discuss divide double drop edit enable end
enjoy enter exist expect explain express extend face fail fall feel fill find finish fit fix follow
force forget form generate give grow guess handle happen hate hear hide hit hold hope hurry imagine
implement improve include increase insert introduce involve join jump keep know last lay lead learn
leave let lie lift like list listen live lose love make manage mark matter mean measure meet
mention mind miss move name need note notice number obtain occur offer open order own pass paste
perform pick place plan point prefer prepare prevent print process produce protect provide prove
pull push put raise reach read realize recommend reduce refer remain remember remind remove
rename repeat replace reply represent require reset resolve rest result return rewrite roll
run save say search see seem select sell send separate serve set shorten show shut skip solve
sort sound speak spend split spread stand start stay step stick stop suggest suppose switch take
talk teach tell tend test thank think throw touch transform translate treat try turn type
understand update use wait want watch win wish wonder work worry wrap write able above actual
available bad basic best better big brief certain common correct current deep different difficult
early easy else empty enough entire equal even ever exact extra false far fast few final former
full further general half happy hard heavy high huge important impossible incorrect instead
just kind large late least left less likely little local long loud low lucky main major modern near
necessary new normal obvious often old once opposite otherwise particular past possible present
previous proper quick quite rather ready real recent regular related rough round safe same second
several short similar simple single slow small smart soon special specific strange strong sudden
terrible third tight tiny together top total true typical unable unique usual valid various weak
weird whole wide wonderful worse worst wrong young today tomorrow yesterday tonight answer
area bit case center chance choice condition content detail difference direction effect error
example fact feature future goal group help idea information issue item length level line lot
meaning method minute mistake moment object option pair part pattern piece position power problem
program purpose quality question range rate reason role row rule sample scale scope score section
sense sentence series shape side sign situation size source space speed stage standard state
structure stuff style subject sum task term text thing thought tip title topic unit value version
view way while word world one two three four five six seven eight nine ten hundred thousand million`

// Words of programming that a prompt about any project may have, which count as vague ones do: that
// one note of fifty has "file" makes it no rare word. Their terms are in vagueTerms, too. What
// projects decide is not among them (deploy, backup, port), nor are names, but for tools of all.
const tradeWords = `abstract access account algorithm api app append application argument array
assert assign assignment async attribute await backend bash benchmark binary blank block body
boolean border bracket branch browser buffer bug build button byte cache callback cast changelog
channel character checkbox child ci class client clone closure code codebase collection column
command comment commit compile compiler complexity component compress concurrency config
configuration conflict connect connection console const constant constructor container context
counter coverage cpu crash css cursor cycle data database date day deadlock debug decimal
declaration decode decorator decrypt default delay delete dependency dev developer device
dictionary diff digit directory disable disk display docker documentation download duplicate
dynamic editor element email encode encrypt endpoint entry env environment equation escape event
exception exclude executable execute exit export expression extension extract factory fetch field
file filename filter flag float folder font format frame framework frontend function generator
generic getter git global graph grid hang hash head header height helper hex hidden history hook
host hour html http icon id identifier ignore image import index inheritance inline input install
instance int integer integration interface interval ip iterate iterator java javascript job json
key keyboard keyword label language layer layout leak library lifetime limit link lint linter linux
literal load localhost lock log logic lookup loop lowercase machine makefile map margin markdown
master math matrix memory menu merge message migrate migration mobile mock modal mode model modify
module monitor month mount mouse multiply namespace native navbar nested network newline night
null numeric offline online operator optimize output override owner package page parallel parameter
parent parse partial password patch path payload pdf performance permission pipeline pixel platform
plugin pointer popup post prefix preview primary private procedure profile progress project promise
property protocol public publish python query queue random raw react rebase record recursion
redirect refactor reference regex reject reload remote render repo repository request resize
resolution resource response restart restore retry reverse root rotate route router runtime rust
scan schedule schema screen script security seed selector serialize server service session setting
setup shell signal since site slice snippet socket software spec spinner sprint sql stack
statement static status storage store stream strict string struct subclass submit substring suffix
suite symbol sync syntax system tab table tag tail template temporary terminal ternary theme thread
timeout timestamp timezone todo toggle token tool trace transaction tree trigger trim tuple
typescript unicode unused upload url usage user utility validate variable vector virtual visible
warning web webpage website week whitespace widget width window windows worker wrapper xml yaml
year zero zip
数据库 数据 文件 代码 函数 测试 单元 接口 变量 配置 环境 参数 分支 提交 合并 版本
日志 报错 错误 异常 服务 服务器 客户端 前端 后端 页面 按钮 组件 脚本 命令 请求
返回 响应 缓存 索引 查询 事务 线程 进程 内存 编译 依赖 项目 模块 类型 对象 数组
字符串 列表 字段 注释 重构 端口 网络 用户 登录 密码 账号 设置 默认 下载 上传 图片
删除 新建 修改 更新 添加 增加 优化 性能 实现 设计 功能 系统 程序 软件 算法 格式
目录 路径 结果 输出 输入 运行 执行 调用 修复 检查 生成 显示 支持 保存 今天
明天 昨天 一天 小时 分钟`
